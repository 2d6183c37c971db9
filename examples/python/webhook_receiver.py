# webhook_receiver.py: python3 webhook_receiver.py &
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_genuine(headers, body):
    signed = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.'.encode() + body
    wanted = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(wanted, each) for each in given) and abs(time.time() - int(headers["webhook-timestamp"])) < 300

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine = is_genuine(self.headers, body)
        if genuine:
            event = json.loads(body)
            print(self.headers["webhook-id"], event["eventType"], event["id"], flush=True)
        self.send_response(204 if genuine else 401)
        self.end_headers()

ThreadingHTTPServer(("", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
