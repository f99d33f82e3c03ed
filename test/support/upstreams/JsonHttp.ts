/** HTTP helpers that the protocol servers share. */
import type * as Http from "node:http"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"

export interface JsonRequest {
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  /** `null` if it is not JSON. */
  readonly body: Json
}

/** `null` if the caller disconnected before its request was complete. */
export const read = async (request: Http.IncomingMessage): Promise<JsonRequest | null> => {
  const chunks: Array<Buffer> = []
  try {
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
  } catch {
    return null
  }
  const { headers, method = "", url = "" } = request
  return { method, path: url.replace(/\?.*/, ""), headers, body: parsed(Buffer.concat(chunks).toString()) }
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The credential of `Authorization: <scheme> <credential>`; `null` without one. */
export const credentialOf = ({ authorization }: Http.IncomingHttpHeaders, scheme: string): string | null =>
  authorization?.startsWith(`${scheme} `) === true ? authorization.slice(scheme.length + 1) : null

export const answer = (
  response: Http.ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {}
): void =>
  void response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body))

export const babble = (response: Http.ServerResponse, status = 200): void =>
  void response.writeHead(status, { "content-type": "text/html" }).end("<html>It works!</html>")
