/** The master key of the settings: `MASTER_KEY`, or the file that `MASTER_KEY_FILE` names. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Config, Effect, Option, Redacted, Schema } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"
import * as KeyText from "./KeyText.ts"

/** Does not show the path, because the key itself may have been given for it. */
export class MasterKeyFileRefused extends Schema.TaggedError<MasterKeyFileRefused>()("MasterKeyFileRefused", {
  reason: Schema.String
}) {
  override get message(): string {
    return `MASTER_KEY_FILE: ${this.reason}`
  }
}

const keyText = Schema.String.check(
  Schema.makeFilter((text: string) => KeyText.parse(text) !== null, { expected: "64 hexadecimal digits" })
)

export const masterKey = Setting.optional({
  name: "MASTER_KEY",
  config: (name) => Config.schema(Schema.Redacted(keyText), name),
  defaultText: "made at the first start, in `DATA_DIR`; required with `EVENT_STORE=nats://…`",
  description: "the secret from which all others are derived; the same on every node",
  accepts: "64 hexadecimal digits",
  example: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
  isSecret: true
})

const absolutePath = Schema.String.check(Schema.makeFilter(path.isAbsolute, { expected: "an absolute path" }))

export const masterKeyFile = Setting.optional({
  name: "MASTER_KEY_FILE",
  config: (name) => Config.schema(absolutePath, name),
  defaultText: "none",
  description: "a file that holds the master key, as supervisors mount secrets; instead of `MASTER_KEY`",
  accepts: "the absolute path of a file with 64 hexadecimal digits",
  example: "/run/secrets/master-key"
})

/** More than the digits and the end of the line, in case the path is that of another file. */
const mostBytes = 4_096

const refused = (reason: string) => new MasterKeyFileRefused({ reason })

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not read the file",
  EPERM: "this user may not read the file",
  EISDIR: "this is a folder: expected a file"
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : ""

const read = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.try({
    try: () => (fs.statSync(file).size > mostBytes ? "" : fs.readFileSync(file, "utf8").trim()),
    catch: (cause) => refused(reasons[codeOf(cause)] ?? "the file cannot be read")
  })
  return KeyText.parse(text) ?? (yield* refused("the file must hold 64 hexadecimal digits"))
})

/** 32 bytes; none when neither is set. */
export const given = Effect.gen(function* () {
  const text = yield* masterKey.config
  const file = yield* masterKeyFile.config
  if (Option.isNone(file)) return Option.flatMapNullishOr(text, (set) => KeyText.parse(Redacted.value(set)))
  if (Option.isSome(text)) return yield* refused("MASTER_KEY is set, too: set one of them")
  return Option.some(yield* read(file.value))
})
