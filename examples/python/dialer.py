# Calls the numbers of a list, one after the other: python3 dialer.py numbers.txt
import json, os, sys, time, urllib.error, urllib.request, uuid


def ask(path, body=None, headers={}):
    headers = {"Authorization": os.environ["TOKEN"], "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(os.environ["API"] + path, data, headers)) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code not in (429, 503):
                return json.load(refusal)
            time.sleep(int(refusal.headers.get("retry-after", 1)))


for number in open(sys.argv[1]).read().split():
    wanted = {"extension": os.environ.get("EXTENSION", "1000"), "called": number}
    placed = ask("/calls", wanted, {"Idempotency-Key": str(uuid.uuid4())})
    if "error" in placed:
        print(number, placed["error"]["code"], flush=True)
        continue
    call = {}
    while call.get("status") != "ended":
        time.sleep(2)
        call = ask(f'/calls/{placed["id"]}')
    print(number, call["hangup_cause"], call["duration"], flush=True)
