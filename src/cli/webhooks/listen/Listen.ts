import { Console, Effect, Layer, Schema } from "effect"
import { Command } from "effect/cli"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import { CallError } from "#src/cli/platform/CallError.ts"
import * as Following from "#src/cli/platform/Following.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as Stdout from "#src/cli/Stdout.ts"
import * as Attempt from "./Attempt.ts"
import * as Forwards from "./Forwards.ts"
import * as EventSelection from "./EventSelection.ts"
import * as Post from "./Post.ts"
import { flags, givenKey, targetOf } from "./ListenFlags.ts"
import * as SigningKey from "./SigningKey.ts"

/** Pauses before each retry of a rejected event, ms. */
const pauses = [1_000, 5_000, 15_000]

const decode = Schema.decodeUnknownEffect(EventSelection.StatusFrame)

const notAsExpected = (cause: unknown) =>
  new CallError({ message: "unexpected event of the stream: the server may be another release", cause })

const say = (text: string) => Console.error(Output.printable(text))

const summary = ({ accepted, open, rejected }: Forwards.Tally): string =>
  [
    `Your app accepted ${Output.counted(accepted, "event")}`,
    ...(rejected === 0 ? [] : [`did not accept ${Output.count(rejected)}`]),
    ...(open === 0 ? [] : [`${Output.count(open)} were not forwarded yet`])
  ].join("; ") + "."

export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* ({ events, forward, json, model, noRetry, once, requests, secret }) {
    const url = yield* targetOf(forward)
    const given = yield* givenKey(secret)
    const platform = yield* Platform.Platform
    const key = given === null ? yield* SigningKey.ofAccount : SigningKey.given(given)
    const selection = EventSelection.make({ events, named: requests })
    const signedWith =
      given === null
        ? `the account's secret (GET ${platform.url}${SigningKey.path})`
        : "the secret of --secret"

    const listening = (print: (line: string) => Effect.Effect<void>) =>
      Effect.gen(function* () {
        const forwards = yield* Forwards.make({
          url,
          key,
          pauses: noRetry ? [] : pauses,
          report: (attempt) => print((json ? Attempt.json : Attempt.text)(attempt)),
          say
        })
        let hasBegun = false
        let isFirst = true
        const following = Following.follow({
          requestIds: requests,
          model,
          onEvent: Effect.fnUntraced(function* ({ data, type }, isResumed) {
            if (type !== "status") return
            const frame = yield* Effect.mapError(decode(data), notAsExpected)
            const selected = selection.of(frame, isResumed)
            if (selected === null || (once && !isFirst)) return
            isFirst = false
            yield* forwards.offer(selected)
          }),
          isOver: () => selection.haveEnded() || (once && !isFirst),
          onBegin: Effect.suspend(() => {
            hasBegun = true
            return say(`Forwarding events of ${platform.url} to ${url}, signed with ${signedWith}.`)
          }),
          say
        })
        const conclude = Effect.suspend(() => (hasBegun ? say(summary(forwards.tally())) : Effect.void))
        yield* Effect.raceFirst(Effect.andThen(following, forwards.settled), forwards.refused).pipe(
          Effect.ensuring(conclude)
        )
        if (forwards.tally().rejected > 0) {
          return yield* new Failure.CommandError({ message: `${url} did not accept all events` })
        }
      }).pipe(Effect.scoped)

    yield* Failure.untilStopped(Stdout.printing(listening))
  })
).pipe(
  Command.provide((given) => Layer.merge(Platform.layer(given), Post.layerClient)),
  Command.withDescription(
    "For development: forward events of the account's requests to an app on this machine as webhooks, with the same " +
      "bodies, ids and signatures, without a tunnel and without a webhook in the submit. Runs until Ctrl-C or SIGTERM, which " +
      "exit with 0. The key needs the scopes requests:read and webhooks:read"
  ),
  Command.withShortDescription("Forward events to an app on this machine"),
  Command.withExamples([
    { command: "inferlog webhooks listen --forward http://localhost:3000/hook" },
    {
      command:
        "inferlog webhooks listen --forward http://localhost:3000/hook --events start,completed --json",
      description: "Forward starts too, and print a line of JSON per forward"
    },
    {
      command:
        "inferlog webhooks listen --forward http://localhost:3000/hook --request rq0qXk2Ab-0Zp1aB3dE5f",
      description: "Forward the end of this request, even if it has ended already"
    }
  ])
)
