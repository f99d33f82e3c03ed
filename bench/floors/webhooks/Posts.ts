/** Posts the same bytes through an undici pool, without records or checks. */
import * as crypto from "node:crypto"
import { Pool } from "undici"
import * as Backlog from "../../subjects/webhooks/Backlog.ts"
import * as Certificate from "../../subjects/webhooks/Certificate.ts"

const body = Buffer.from(Backlog.bodyOf("rq00000000000-0000000"))
const id = `msg_${"0".repeat(22)}`
const timestamp = "1700000000"
const headers = {
  "content-type": "application/json",
  "user-agent": "inferlog-webhooks/1",
  "webhook-id": id,
  "webhook-timestamp": timestamp
}

const secret = Buffer.alloc(32, 1)

const hmac = (): string =>
  crypto.createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest("base64")

/** Computes the signature of a post. */
export const signature = (): string => `v1,${hmac()}`

const constant = signature()

/** Sends one post and waits for the end of the answer. A status other than 204 is an error. */
export const make = (url: string, connections: number, sign = () => constant): (() => Promise<void>) => {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1, connect: { ca: Certificate.authority() } })
  const path = `${pathname}${search}1700000000000`

  return async () => {
    const answer = await pool.request({
      method: "POST",
      path,
      headers: { ...headers, "webhook-signature": sign() },
      body
    })
    if (answer.statusCode !== 204) throw new Error(`expected status 204, got ${answer.statusCode}`)
    await answer.body.dump()
  }
}
