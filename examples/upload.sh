#!/bin/sh
# Uploads a file in one PUT and prints its URL: INFERLOG_API_KEY=keyId:secret sh examples/upload.sh cat.png image/png
set -eu
file=$1
type=${2:-application/octet-stream}
url=${INFERLOG_URL:-http://127.0.0.1:8080}

name=$(basename "$file" | sed 's/[\\"]/\\&/g')
size=$(($(wc -c < "$file")))

# 1. Announce the file. Pass the key through stdin, because other users of this machine can see arguments.
answer=$(printf 'Authorization: Key %s' "$INFERLOG_API_KEY" | curl -sS --fail-with-body -H @- \
  -H 'Content-Type: application/json' "$url/storage/upload/initiate" \
  -d "{\"file_name\": \"$name\", \"content_type\": \"$type\", \"size\": $size}") || { echo "$answer" >&2; exit 1; }
field() { printf '%s' "$answer" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

# 2. PUT the bytes with the same type and without the key: the URL contains its credentials.
curl -sS --fail-with-body -T "$file" -H "Content-Type: $type" "$(field upload_url)" >&2

# 3. Print the URL. Models accept it as input.
field file_url
echo
