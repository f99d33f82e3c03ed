/**
 * The floor of T8: a pool of undici's that posts the same bytes, each with the answer before on its connection. Nothing is
 * signed, recorded or checked. Arguments: the receiver's URL, the number of connections.
 */
import process from "node:process"
import { type Dispatcher, Pool } from "undici"
import * as Work from "../../rows/log/Work.ts"
import * as Backlog from "../../subjects/webhooks/Backlog.ts"
import * as Certificate from "../../subjects/webhooks/Certificate.ts"

const [, , url = "", connections] = process.argv
const { origin, pathname, search } = new URL(url)
const pool = new Pool(origin, {
  connections: Number(connections),
  pipelining: 1,
  connect: { ca: Certificate.authority() }
})

const path = `${pathname}${search}1700000000000`
const body = Buffer.from(Backlog.bodyOf("rq00000000000-0000000"))
const headers = {
  "content-type": "application/json",
  "user-agent": "inferlog-webhooks/1",
  "webhook-id": `msg_${"0".repeat(22)}`,
  "webhook-timestamp": "1700000000",
  "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}`
}

const post = () =>
  new Promise<void>((resolve, reject) => {
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_controller, status) => {
        if (status !== 204) reject(new Error(`expected status 204, got ${status}`))
      },
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error)
    }
    pool.dispatch({ method: "POST", path, headers, body }, handler)
  })

Work.serve((seconds) => Work.repeated({ inFlight: Number(connections), seconds }, post))
