/** The script of the API reference by Scalar (3 MB). A bundle has it as a part of its own (`bin/Bundle.js`). */
import { createRequire } from "node:module"
import * as url from "node:url"

/** Internal to Effect, whose own module embeds the script in pages that cannot be cached and have no content policy. */
const file = new URL(
  "./internal/httpApiScalar.js",
  url.pathToFileURL(createRequire(import.meta.url).resolve("effect/http-api/HttpApiScalar"))
)

/** The module's export `javascript` is the text of the script. */
export const load = (): Promise<unknown> => import(file.href)
