/** The file `master.key` in the data directory: the master key of a node that does not share its log. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import * as Account from "#domain/account/Account.ts"
import { PasswordChanged } from "#domain/account/Event.ts"
import { SigningSecretRotated } from "#domain/account/SigningSecret.ts"
import { holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { syncDirectory } from "#streams/DirectorySync.ts"
import type { LogUnavailable } from "#streams/LogUnavailable.ts"
import * as EventSearch from "#streams/sqlite/EventSearch.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import { keyBytes, parse } from "./KeyText.ts"

export class MasterKeyUnusable extends Schema.TaggedError<MasterKeyUnusable>()("MasterKeyUnusable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `MASTER_KEY: ${this.file} ${this.reason}`
  }
}

const damaged =
  "is damaged: it must hold 64 hexadecimal digits. Put a copy of it back, or set MASTER_KEY to the key that it held"

const isThere = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EEXIST"

/** Syncs a temporary file and then links it, so that a crash leaves the whole key or none, and never replaces one. */
const create = (file: string) => {
  const written = `${file}.new`
  const text = `${crypto.randomBytes(keyBytes).toString("hex")}\n`
  fs.rmSync(written, { force: true })
  fs.writeFileSync(written, text, { flag: "wx", mode: 0o600, flush: true })
  try {
    fs.linkSync(written, file)
  } catch (error) {
    if (!isThere(error)) throw error
  }
  fs.rmSync(written)
  syncDirectory(path.dirname(file))
}

const lost =
  "is missing, and the log holds secrets that are sealed under it. Put a copy of it back, or set MASTER_KEY to the key that " +
  "it held. If it is lost, set MASTER_KEY to a new key: signing secrets and passwords must then be set anew"

/** Events whose secrets are sealed under a key. */
const sealed = {
  category: Account.aggregate.category,
  types: [SigningSecretRotated, PasswordChanged].map(({ fields }) => fields._tag.schema.literal)
}

/** Whether the log has secrets that are sealed under a key. */
const isOwed = (dataDirectory: string) =>
  holdsLog(dataDirectory)
    ? EventSearch.contains(LogFiles.files(dataDirectory).log, sealed)
    : Effect.succeed(false)

/** `unmade`: missing, and not needed yet. `lost`: missing, and needed. `damaged`: also if it cannot be read. */
export type State = "intact" | "unmade" | "lost" | "damaged"

/** What a start would find. Changes nothing. */
export const state = Effect.fnUntraced(function* (
  dataDirectory: string
): Effect.fn.Return<State, LogUnavailable> {
  const file = path.join(dataDirectory, "master.key")
  if (!fs.existsSync(file)) return (yield* isOwed(dataDirectory)) ? "lost" : "unmade"
  return yield* Effect.try(() => parse(fs.readFileSync(file, "utf8").trimEnd())).pipe(
    Effect.match({
      onFailure: () => "damaged" as const,
      onSuccess: (key) => (key === null ? "damaged" : "intact")
    })
  )
})

/** Creates the file, for its owner only, if it is missing; refuses if the log has secrets sealed by another key. */
export const read = Effect.fnUntraced(function* (dataDirectory: string) {
  const file = path.join(dataDirectory, "master.key")
  if (!fs.existsSync(file) && (yield* isOwed(dataDirectory))) {
    return yield* new MasterKeyUnusable({ file, reason: lost })
  }
  const text = yield* Effect.try({
    try: () => {
      if (!fs.existsSync(file)) create(file)
      return fs.readFileSync(file, "utf8")
    },
    catch: () => new MasterKeyUnusable({ file, reason: "cannot be read or made" })
  })
  const key = parse(text.trimEnd())
  return key === null ? yield* new MasterKeyUnusable({ file, reason: damaged }) : key
})
