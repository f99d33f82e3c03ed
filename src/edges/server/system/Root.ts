/** `GET /`: tells programs where the reference is, and sends browsers there. */
import { Effect } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as AcceptHeader from "#src/edges/http/requests/AcceptHeader.ts"

const vary = { vary: "accept" }

/** Relative, so that it holds behind a path and under every name of the server. */
const toDocs = Answer.empty(303, { location: "docs", ...vary })

export const make = Effect.gen(function* () {
  const { baseUrl } = yield* PublicUrls
  const body = { name: "inferlog", version, docs: `${baseUrl}/docs`, openapi: `${baseUrl}/openapi.json` }
  const told = Answer.json(200, body, vary)

  return (accept: string | undefined) =>
    Effect.succeed(
      AcceptHeader.preferred(accept, ["application/json", "text/html"]) === "text/html" ? toDocs : told
    )
})
