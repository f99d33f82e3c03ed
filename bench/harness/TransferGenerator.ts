/**
 * A program that sends and receives large bodies: one `Transfers` per line of stdin, one `TransferAnswer` per line of stdout.
 * It runs in its own process, so that the server keeps a core.
 */
import * as readline from "node:readline"
import { Schema } from "effect"
import * as TransferConnection from "./TransferConnection.ts"
import { type Transferred, Transfers } from "./Transfers.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Transfers))

const run = async ({ atOnce, port, requests, status }: Transfers): Promise<Transferred> => {
  const etags: Array<string | null> = []
  const waiting = requests.entries()

  const work = async () => {
    for (const [index, { head, receivedBytes, sentBytes }] of waiting) {
      const isEcho = receivedBytes !== null
      const answer = await TransferConnection.run({ port, head, sentBytes, isEcho })
      if (answer.status !== status) throw new Error(`expected status ${status}, got ${answer.status}`)
      if (isEcho && answer.bytes !== receivedBytes)
        throw new Error(`expected ${receivedBytes} bytes, got ${answer.bytes}`)
      etags[index] = answer.etag
    }
  }

  await Promise.all(Array.from({ length: atOnce }, work))
  return { etags }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const answer = await run(decode(line)).catch((error: Error) => ({ error: error.message }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
