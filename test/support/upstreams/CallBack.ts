import * as Http from "node:http"
import type { Json } from "#domain/CanonicalJson.ts"

/** Posts once to a callback address and ignores the answer. */
export const post = (url: string, body: Json): void =>
  void Http.request(url, { method: "POST", headers: { "content-type": "application/json" }, agent: false })
    .on("error", () => {})
    .on("response", (response) => response.resume())
    .end(JSON.stringify(body))
