/**
 * Straight code for T8: deliveries wait on the log with their bodies. Each is read, claimed with a chained, durable event, signed,
 * posted, and its result recorded likewise. Arguments: the receiver's URL, number of connections.
 */
import process from "node:process"
import * as Backlog from "../../subjects/webhooks/Backlog.ts"
import * as BulkLoad from "../../rows/log/BulkLoad.ts"
import * as Work from "../../rows/log/Work.ts"
import * as Ids from "../Ids.ts"
import * as Log from "../straight/Log.ts"
import { seal } from "../straight/Sealing.ts"
import * as Posts from "./Posts.ts"

/** More than one process delivers. */
const waitingPerSecond = 15_000
const atOnce = 1_000

const [, , url = "", connections] = process.argv
const post = Posts.make(url, Number(connections))
const log = Log.open(`${BulkLoad.directory()}/log.sqlite`)

/** The queue: ids of deliveries, in memory. The oldest comes last. */
const waiting: Array<string> = []

const streamOf = (id: string) => `WebhookDelivery-${id}`

const schedule = () => {
  const requestId = Ids.next()
  const id = `msg_${Ids.next()}`
  const body = seal("body", Backlog.bodyOf(requestId))
  const data = JSON.stringify({
    accountId: "acc_1e6fc917e75a8f3a",
    event: "completed",
    payloads: { body: { hash: body.hash, size: body.text.length } },
    requestId,
    url
  })
  waiting.push(id)
  return new Promise<void>((durable) =>
    log.append({
      stream: streamOf(id),
      events: [{ id: Ids.next(), type: "DeliveryScheduled", time: Date.now(), data }],
      payload: body,
      isLast: false,
      durable
    })
  )
}

const fill = async (deliveries: number) => {
  while (waiting.length < deliveries) await Promise.all(Array.from({ length: atOnce }, schedule))
  waiting.reverse()
}

const record = (stream: string, type: string, data: string, isLast: boolean) =>
  new Promise<void>((durable) =>
    log.append({ stream, events: [{ id: Ids.next(), type, time: Date.now(), data }], isLast, durable })
  )

const deliver = async () => {
  const id = waiting.pop()
  if (id === undefined) throw new Error("expected more deliveries to wait")
  const stream = streamOf(id)
  const text = log.payload(stream, "body")
  await record(stream, "AttemptStarted", '{"attempt":1,"node":"node_000000000000"}', false)
  await post(Posts.sign(id, text, String(Math.floor(Date.now() / 1_000))))
  await record(stream, "AttemptSucceeded", '{"attempt":1,"durationMs":1,"responseStatus":204}', true)
}

Work.serve(async (seconds) => {
  await fill(Math.ceil(seconds * waitingPerSecond))
  return Work.repeated({ inFlight: Number(connections), seconds }, deliver)
})
