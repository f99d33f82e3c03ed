/** Posts through an undici pool, without records or checks. */
import * as crypto from "node:crypto"
import { Pool } from "undici"
import * as Backlog from "../../subjects/webhooks/Backlog.ts"
import * as Certificate from "../../subjects/webhooks/Certificate.ts"

export interface Message {
  /** `webhook-id` */
  readonly id: string
  readonly body: Buffer
  /** `webhook-timestamp` */
  readonly timestamp: string
  /** `webhook-signature` */
  readonly signature: string
}

const secret = Buffer.alloc(32, 1)

/** A signed message. */
export const sign = (id: string, text: string, timestamp: string): Message => {
  const body = Buffer.from(text)
  const hmac = crypto.createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body)
  return { id, body, timestamp, signature: `v1,${hmac.digest("base64")}` }
}

/** The same message for every post. */
export const constant = sign(`msg_${"0".repeat(22)}`, Backlog.bodyOf("rq00000000000-0000000"), "1700000000")

/** Sends one post and waits for the end of the answer. A status other than 204 is an error. */
export const make = (url: string, connections: number): ((message: Message) => Promise<void>) => {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1, connect: { ca: Certificate.authority() } })
  const path = `${pathname}${search}1700000000000`

  return async ({ body, id, signature, timestamp }) => {
    const answer = await pool.request({
      method: "POST",
      path,
      headers: {
        "content-type": "application/json",
        "user-agent": "inferlog-webhooks/1",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature
      },
      body
    })
    if (answer.statusCode !== 204) throw new Error(`expected status 204, got ${answer.statusCode}`)
    await answer.body.dump()
  }
}
