// Uploads a file in parts, four at a time, and prints its URL:
//   INFERLOG_API_KEY=keyId:secret node examples/upload-multipart.mjs film.mp4 video/mp4
import { Inferlog } from "@inferlog/client"
import { file } from "@inferlog/client/node"

const [path, type = "application/octet-stream"] = process.argv.slice(2)

// It is read part by part while it is sent, so it may be larger than the memory.
const url = await new Inferlog().files.upload(await file(path, { type }), {
  partSize: 16 * 1024 * 1024,
  parallel: 4,
  // With these ids as `resume`, another run sends only the parts that are missing.
  onBegin: ({ uploadId, uploadKey }) => process.stderr.write(`${uploadId} ${uploadKey}\n`),
  onProgress: (sent, total) => process.stderr.write(`\r${Math.floor((100 * sent) / total)} %`)
})
process.stdout.write(`${url}\n`)
