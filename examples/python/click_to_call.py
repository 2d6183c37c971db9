# A button that calls: python3 click_to_call.py
import json, os, urllib.error, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PAGE = (Path(__file__).parent.parent / "click-to-call.html").read_bytes()


def call(called):
    wanted = {"extension": os.environ.get("EXTENSION", "1000"), "called": called, "metadata": {"source": "click-to-call"}}
    headers = {"Authorization": os.environ["TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(os.environ["API"] + "/calls", json.dumps(wanted).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, "text/html; charset=utf-8", PAGE)

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        status, body = call(form.get("called", [""])[0])
        self.answer(status, "application/json", body)

    def answer(self, status, content_type, body):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("", int(os.environ.get("PORT", 3000))), Server).serve_forever()
