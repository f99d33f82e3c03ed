/** In CI, starts one S3 server for all test files, because one per file would keep the machine busy. */
import { Effect } from "effect"
import * as S3Server from "./S3Server.ts"

export default async () => {
  if (process.env["CI"] === undefined) return
  const { kill, port } = await S3Server.begin()
  process.env[S3Server.portVariable] = String(port)
  return () => Effect.runPromise(kill)
}
