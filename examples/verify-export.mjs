// Verifies an export of a whole log and prints its anchor, which `inferlog log stats` prints too. It needs only Node.
//   inferlog log export | node examples/verify-export.mjs
import { createHash } from "node:crypto"

const sha256 = (text) => createHash("sha256").update(text).digest("base64url")
const tails = new Map() // stream → its last event
let [position, digest, rest] = ["0", "", ""]

for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = (rest + chunk).split("\n") // not `readline`, which also splits at U+2028
  rest = lines.pop()
  for (const line of lines) {
    const event = JSON.parse(line)
    const { stream, ordinal, id, type, time, hash } = event
    const data = line.slice(line.indexOf(',"data":') + 8, -1) // the bytes that were hashed
    const before = tails.get(stream) ?? { ordinal: -1, hash: "" }
    const expected = sha256(`${before.hash}\n${JSON.stringify([stream, ordinal, id, type, time])}${data}`)
    if (ordinal !== before.ordinal + 1 || hash !== expected) throw new Error(`broken at ${event.position}`)
    tails.set(stream, { ordinal, hash })
    position = event.position
    digest = sha256(`${digest}\n${hash}`)
  }
}
if (rest !== "") throw new Error("the last line is incomplete")
process.stdout.write(`${position}:${digest}\n`)
