/** Servers that the operator of this machine administers, with their keys, in a file for its owner only. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Config, Effect, Option, Record, Redacted, Result, Schema } from "effect"
import { CommandError, UsageError } from "#src/cli/Failure.ts"

export const Profile = Schema.Struct({
  url: Schema.String,
  /** The operator's key. */
  key: Schema.RedactedFromValue(Schema.String),
  /** Whether the key may be sent in clear to another machine. */
  insecure: Schema.optionalKey(Schema.Boolean)
})
export type Profile = typeof Profile.Type

const File = Schema.fromJsonString(Schema.Struct({ profiles: Schema.Record(Schema.String, Profile) }))

const decode = Schema.decodeUnknownResult(File)
const encode = Schema.encodeEffect(File)

export const isName = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)

const mostProfiles = 1_000

/** `$XDG_CONFIG_HOME/inferlog/profiles.json`, by default in `~/.config`. */
export const file = Effect.gen(function* () {
  const home = Option.getOrElse(yield* Config.option(Config.NonEmptyString("HOME")), os.homedir)
  const configured = yield* Config.option(Config.NonEmptyString("XDG_CONFIG_HOME"))
  const folder = Option.getOrElse(configured, () => path.join(home, ".config"))
  return path.join(folder, "inferlog", "profiles.json")
})

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error"

const attempt = <A>(at: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => new CommandError({ message: `${at} cannot be used: ${codeOf(cause)}` })
  })

/** Without the file, none. Refuses a file that other users may read. */
export const read = Effect.gen(function* () {
  const at = yield* file
  const text = yield* attempt(at, () => {
    if (!fs.existsSync(at)) return null
    if (process.platform !== "win32" && (fs.statSync(at).mode & 0o077) !== 0) return "open"
    return fs.readFileSync(at, "utf8")
  })
  if (text === null) return {}
  if (text === "open") {
    return yield* new CommandError({
      message: `${at} has keys, and other users of this machine may read it: run chmod 600 on it`
    })
  }
  const found = decode(text)
  // The error would quote keys.
  return Result.isSuccess(found)
    ? found.success.profiles
    : yield* new CommandError({ message: `${at} is not a file of profiles` })
})

/** Replaces the file as a whole: a crash leaves the old one or the new one. */
const write = Effect.fnUntraced(function* (profiles: Readonly<Record<string, Profile>>) {
  const at = yield* file
  const text = yield* Effect.orDie(encode({ profiles }))
  yield* attempt(at, () => {
    fs.mkdirSync(path.dirname(at), { recursive: true, mode: 0o700 })
    const temporary = `${at}.${process.pid}.tmp`
    const descriptor = fs.openSync(temporary, "w", 0o600)
    try {
      fs.writeSync(descriptor, `${text}\n`)
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
    fs.renameSync(temporary, at)
  })
})

export const find = Effect.fnUntraced(function* (name: string) {
  const profiles = yield* read
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile !== undefined) return profile
  return yield* new UsageError({
    message: `There is no such profile: see 'inferlog profiles list', or make it with 'inferlog profiles add'`
  })
})

/** Adds or replaces a profile. */
export const put = Effect.fnUntraced(function* (name: string, profile: Profile) {
  const profiles = yield* read
  if (Object.keys(profiles).length >= mostProfiles && !Object.hasOwn(profiles, name)) {
    return yield* new UsageError({ message: `There are ${mostProfiles} profiles: remove one first` })
  }
  yield* write({ ...profiles, [name]: profile })
})

export const remove = Effect.fnUntraced(function* (name: string) {
  yield* find(name)
  yield* write(Record.remove(yield* read, name))
})

/** The part of a key before the colon, which is no secret. */
export const operatorOf = ({ key }: Profile): string => Redacted.value(key).split(/[.:]/, 1)[0] ?? ""
