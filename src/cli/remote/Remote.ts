/** The server elsewhere that a command administers, by flags, variables or a profile. */
import { Config, ConfigProvider, Effect, Option, Record, Redacted, Schema } from "effect"
import { type CliError, Command, Flag, GlobalFlag } from "effect/cli"
import type { Target } from "#src/edges/admin/AdminAnswers.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as Profiles from "./Profiles.ts"

const Url = GlobalFlag.Setting("url")({
  flag: Flag.String("url").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(
      "Administer the server at this BASE_URL (default: INFERLOG_ADMIN_URL, or the one here)"
    ),
    Flag.optional
  )
})

const Key = GlobalFlag.Setting("key")({
  flag: Flag.Redacted("key").pipe(
    Flag.withMetavar("op_…:secret"),
    Flag.withDescription(
      "The operator's key. Other users of this machine can see it while the command runs: prefer INFERLOG_OPERATOR_KEY"
    ),
    Flag.optional
  )
})

const ProfileName = GlobalFlag.Setting("profile")({
  flag: Flag.String("profile").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Server and key from 'inferlog profiles' (default: INFERLOG_PROFILE)"),
    Flag.optional
  )
})

const Insecure = GlobalFlag.Setting("insecure")({
  flag: Flag.Boolean("insecure").pipe(
    Flag.withDescription("Send the key to another machine over plain http, where others can read it"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
})

const names = {
  url: "INFERLOG_ADMIN_URL",
  key: "INFERLOG_OPERATOR_KEY",
  profile: "INFERLOG_PROFILE",
  insecure: "INFERLOG_INSECURE"
} as const

/** Hides a variable. An empty text would count as not set. */
const hidden = " "

/** Flags win over variables: a given URL or key hides the profile in the environment, and the other way round. */
const configProvider = Effect.gen(function* () {
  const environment = yield* ConfigProvider.ConfigProvider
  const url = yield* Url
  const profile = yield* ProfileName
  const key = yield* Key
  const flags = Record.getSomes({
    [names.url]: Option.isSome(profile) ? Option.orElseSome(url, () => hidden) : url,
    [names.profile]: Option.isSome(url) ? Option.orElseSome(profile, () => hidden) : profile,
    [names.key]: Option.map(key, Redacted.value),
    [names.insecure]: (yield* Insecure) ? Option.some("true") : Option.none()
  })
  return ConfigProvider.orElse(ConfigProvider.fromUnknown(flags), environment)
})

/** Gives a command and its subcommands the flags that name a server elsewhere. */
export const administers = <Name extends string, Input, E, R, C>(
  command: Command.Command<Name, Input, C, E, R>
) =>
  command.pipe(
    Command.provideEffect(ConfigProvider.ConfigProvider, configProvider),
    Command.withGlobalFlags([Url, Key, ProfileName, Insecure])
  )

const onlyHere = (what: string, flags: string): string =>
  `${what} works on this machine only, not on a server elsewhere: run it there, without ${flags}`

/**
 * What to say to a flag that names a server elsewhere, given to a command that works on this machine only; `null` for other
 * errors.
 */
export const refusalOf = (error: CliError.CliError): string | null =>
  error._tag === "UnrecognizedOption" && Object.hasOwn(names, error.option.replace(/^--/, ""))
    ? onlyHere(`'${(error.command ?? []).join(" ")}'`, error.option)
    : null

const wrong = (message: string) => new UsageError({ message })

const text = (name: string) =>
  Config.String(name).pipe(
    Config.map((value) => value.trim()),
    Config.withDefault("")
  )

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)

/** Without a trailing slash. Does not show a wrong one, because it may contain a password. */
export const addressOf = (given: string, insecure: boolean): Effect.Effect<string, UsageError> => {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    return Effect.fail(wrong("--url: Expected an address such as https://api.example.com"))
  }
  if (url.protocol === "http:" && !isLoopback(url) && !insecure) {
    return Effect.fail(
      wrong(
        "--url: Others can read a key that is sent over http to another machine: use https, or add --insecure"
      )
    )
  }
  return Effect.succeed((url.origin + url.pathname).replace(/\/+$/, ""))
}

/** Trimmed. It is never shown. A session of single sign-on is sent as a key. */
export const keyOf = (given: string): Effect.Effect<string, UsageError> => {
  const key = given.trim()
  return /^(op_[a-z0-9]{16}|oi_[\w.-]{1,64}):[\x21-\x7e]{1,256}$/.test(key)
    ? Effect.succeed(key)
    : Effect.fail(
        wrong(
          "INFERLOG_OPERATOR_KEY: Expected an operator's key, op_…:secret, in this variable or with --key"
        )
      )
}

const isSet = Config.schema(Schema.Literals(["true", "false", ""]), names.insecure).pipe(
  Config.withDefault("")
)

const given = Effect.gen(function* () {
  const url = yield* text(names.url)
  const profileName = yield* text(names.profile)
  const key = yield* text(names.key)
  const insecure = (yield* isSet) === "true"
  if (url !== "") return { url, key, insecure }
  if (profileName === "") return null
  const profile = yield* Profiles.find(profileName)
  return {
    url: profile.url,
    key: key === "" ? Redacted.value(profile.key) : key,
    insecure: insecure || profile.insecure === true
  }
})

/** Fails for `what`, which works on this machine only, when a server elsewhere is named. */
export const refuse = (what: string) =>
  Effect.flatMap(given, (found) =>
    found === null ? Effect.void : Effect.fail(wrong(onlyHere(what, "--url and --profile")))
  )

/** None: the server or the log of this machine. */
export const target: Effect.Effect<
  Option.Option<Target>,
  UsageError | Effect.Error<typeof given>
> = Effect.gen(function* () {
  const found = yield* given
  if (found === null) return Option.none()
  const url = yield* addressOf(found.url, found.insecure)
  const key = yield* keyOf(found.key)
  return Option.some({
    url,
    headers: { authorization: `Key ${key}` },
    name: `The server at ${new URL(url).origin}`
  })
})
