import { Config, Result, Schema } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"
import * as ArchivePlace from "./ArchivePlace.ts"

const faultOf = (text: string) =>
  Result.match(ArchivePlace.parse(text, ""), { onFailure: (fault) => fault, onSuccess: () => null })

const Address = Schema.String.check(
  Schema.makeFilter((text: string) => faultOf(text) === null, { expected: ArchivePlace.expected })
)

export const archive = Setting.optional({
  name: "ARCHIVE",
  config: (name) => Config.schema(Address, name),
  defaultText: "none",
  description:
    "where `log archive` writes old events when it is called without a target, and the only place to which a running server archives ([archive](../operators/archive.md))",
  accepts: `a folder, or \`s3://<bucket>/<prefix>\` with the options of \`BLOB_STORE\``,
  example: "/var/archive",
  fault: faultOf
})
