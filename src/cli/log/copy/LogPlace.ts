/** The location of a log: `sqlite` (DATA_DIR), `sqlite:<directory>`, or the address of a log on NATS. */
import * as path from "node:path"
import { Effect, Option, Result } from "effect"
import type { LogPlace } from "#src/platform/log/ChosenLog.ts"
import { configured } from "#src/kernel/disk/DataDirectory.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"

/** The location as given on the command line. */
export type LogAddress =
  | {
      readonly _tag: "Sqlite"
      /** `null` for DATA_DIR. */
      readonly directory: string | null
    }
  | Extract<LogPlace, { readonly _tag: "Nats" }>

const sqliteText = /^sqlite(?::(.+))?$/s

export const expected = `Expected sqlite (the log in DATA_DIR), sqlite:<directory> or ${NatsOptions.expected}`

export const parse = (text: string): Option.Option<LogAddress> => {
  const match = sqliteText.exec(text)
  if (match !== null) return Option.some({ _tag: "Sqlite", directory: match[1] ?? null })
  return Option.map(Result.getSuccess(NatsOptions.parse(text)), (options) => ({ _tag: "Nats", options }))
}

export const resolve = Effect.fnUntraced(function* (address: LogAddress) {
  if (address._tag === "Nats") return address satisfies LogPlace
  const directory = address.directory === null ? yield* configured : path.resolve(address.directory)
  return { _tag: "Sqlite", directory } satisfies LogPlace
})

/** For messages: the location without credentials. */
export const name = (place: LogPlace): string =>
  place._tag === "Sqlite"
    ? `sqlite:${place.directory}`
    : `nats://${place.options.servers.join(",")}?prefix=${place.options.prefix}`

/** Compares locations by name. */
export const isSame = (a: LogPlace, b: LogPlace): boolean => {
  if (a._tag === "Sqlite" || b._tag === "Sqlite") return name(a) === name(b)
  const servers = new Set(a.options.servers)
  return a.options.prefix === b.options.prefix && b.options.servers.some((server) => servers.has(server))
}
