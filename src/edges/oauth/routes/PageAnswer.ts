/** Answers a request with a page. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Page } from "../pages/Page.ts"

export const make = (
  status: number,
  { headers, html }: Page,
  more: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(Buffer.from(html), {
    status,
    contentType: headers["content-type"] ?? "",
    headers: { ...headers, ...more }
  })
