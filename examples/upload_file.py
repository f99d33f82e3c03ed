"""Uploads a file in one PUT and prints its URL. It needs only Python:
INFERLOG_API_KEY=keyId:secret python3 examples/upload_file.py cat.png"""
import json, mimetypes, os, sys
from urllib.request import Request, urlopen


def upload(server, key, path):
    """Returns the file's URL. Reads the file in pieces while it is sent."""
    content_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    size = os.path.getsize(path)
    announced = {"file_name": os.path.basename(path), "content_type": content_type, "size": size}
    headers = {"Authorization": f"Key {key}", "Content-Type": "application/json"}
    with urlopen(Request(f"{server}/storage/upload/initiate", json.dumps(announced).encode(), headers)) as answer:
        urls = json.load(answer)
    # Send the same type and no key: the URL contains its credentials.
    headers = {"Content-Type": content_type, "Content-Length": str(size)}
    with open(path, "rb") as file, urlopen(Request(urls["upload_url"], file, headers, method="PUT")):
        return urls["file_url"]


if __name__ == "__main__":
    print(upload(os.environ.get("INFERLOG_URL", "http://127.0.0.1:8080"), os.environ["INFERLOG_API_KEY"], sys.argv[1]))
