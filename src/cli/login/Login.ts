/** `login`: single sign-on of an operator, whose session is kept as a profile. */
import * as crypto from "node:crypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as LogClient from "#src/edges/admin/log/LogClient.ts"
import { challengeOf } from "#src/edges/sso/HandOff.ts"
import * as Paths from "#src/edges/sso/Paths.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as Profiles from "#src/cli/remote/Profiles.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Browser from "./Browser.ts"
import * as Loopback from "./Loopback.ts"

/** As long as the server keeps a sign-in. */
const longestWait = "10 minutes"

const name = Argument.String("profile").pipe(
  Argument.withDescription("The profile that keeps the session"),
  Argument.filter(Profiles.isName, () => "Expected a name such as production")
)

const Session = Schema.fromJsonString(
  Schema.Struct({
    key: Schema.RedactedFromValue(Schema.String),
    operatorId: Schema.String,
    name: Schema.String,
    role: Schema.String,
    expiresAt: Schema.String
  })
)
const decode = Schema.decodeUnknownEffect(Session)

const tooLong = () => new CommandError({ message: "The sign-in took more than ten minutes" })

const wait = Effect.fnUntraced(function* (url: string, challenge: string, isOpened: boolean) {
  const { code, port } = yield* Loopback.listen
  const query = new URLSearchParams({ port: String(port), challenge })
  const address = `${url}${Paths.signIn}?${query.toString()}`
  yield* Console.error(`Sign in with a browser on this machine:\n${address}`)
  if (isOpened) yield* Browser.open(address)
  return yield* Effect.timeoutOrElse(code, { duration: longestWait, orElse: () => Effect.fail(tooLong()) })
}, Effect.scoped)

const take = Effect.fnUntraced(function* (url: string, code: string, verifier: string) {
  const target = { url, headers: {}, name: `The server at ${new URL(url).origin}` }
  const text = yield* LogClient.text(target, {
    method: "POST",
    path: Paths.token.slice("/admin/v1".length),
    body: { code, verifier }
  })
  return yield* Effect.mapError(
    decode(text),
    () => new CommandError({ message: `${target.name}: its answer is not as expected` })
  )
}, Effect.provide(NodeHttpClient.layerUndici))

export const login = Command.make(
  "login",
  {
    name,
    url: Flag.String("url").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription("The server's ADMIN_URL, as browsers reach it")
    ),
    insecure: Flags.toggle(
      "insecure",
      "Allow plain http to another machine, where others can read the session"
    ),
    noBrowser: Flags.toggle("no-browser", "Print the address only"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ insecure, json, name, noBrowser, url: given }) {
    const url = yield* Remote.addressOf(given, insecure)
    const verifier = crypto.randomBytes(32).toString("base64url")
    const code = yield* wait(url, challengeOf(verifier), !noBrowser)
    const { expiresAt, key, operatorId, ...operator } = yield* take(url, code, verifier)
    yield* Profiles.put(name, { url, key, ...(insecure && { insecure }) })
    if (json) {
      return yield* Output.printJson({
        name,
        url,
        file: yield* Profiles.file,
        operatorId,
        role: operator.role,
        expiresAt
      })
    }
    yield* Console.log(
      `Signed in as ${Output.printable(operator.name)} with the role ${Output.printable(operator.role)} until ` +
        `${Output.printable(expiresAt)}. Use it with --profile ${name}.`
    )
  })
).pipe(
  Command.withDescription(
    "Sign in with a browser at the issuer of single sign-on, and keep the session as a profile, in a file for its owner only. " +
      "The session ends after the server's OIDC_SESSION_TIME"
  ),
  Command.withShortDescription("Sign in as an operator with a browser"),
  Command.withExamples([{ command: "inferlog login production --url https://api.example.com" }])
)
