/**
 * Straight code for T8: a chained, durable event before each post, a signature, and an event with the result after it.
 * Arguments: the receiver's URL, number of connections.
 */
import process from "node:process"
import * as BulkLoad from "../../rows/log/BulkLoad.ts"
import * as Work from "../../rows/log/Work.ts"
import * as Ids from "../Ids.ts"
import * as Log from "../straight/Log.ts"
import * as Posts from "./Posts.ts"

const [, , url = "", connections] = process.argv
const post = Posts.make(url, Number(connections), Posts.signature)
const log = Log.open(`${BulkLoad.directory()}/log.sqlite`)

const record = (stream: string, type: string, data: string, isLast: boolean) =>
  new Promise<void>((durable) =>
    log.append({ stream, events: [{ id: Ids.next(), type, time: Date.now(), data }], isLast, durable })
  )

const deliver = async () => {
  const stream = `WebhookDelivery-${Ids.next()}`
  await record(stream, "AttemptStarted", '{"attempt":1,"node":"node_000000000000"}', false)
  await post()
  await record(stream, "AttemptSucceeded", '{"attempt":1,"durationMs":1,"responseStatus":204}', true)
}

Work.serve((seconds) => Work.repeated({ inFlight: Number(connections), seconds }, deliver))
