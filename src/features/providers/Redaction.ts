/** Removes the credential, the address and control characters from texts of providers, because clients read them. */
import { Effect, Redacted } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as ReplacedControl from "./ReplacedControl.ts"
import type { Job, JobState, Progress, Provider, RunControl } from "./Provider.ts"
import type { ProviderHttp } from "./ProviderHttp.ts"
import { clean, cleanLine } from "./ErrorOutcomes.ts"

/** Shorter secrets would match parts of words. */
const shortestSecret = 6

type Words = (text: string) => string

const hostsOf = ({ url }: ProviderBinding): ReadonlyArray<string> => {
  const parsed = url === undefined ? null : URL.parse(url)
  return parsed === null ? [] : [parsed.origin, parsed.host, parsed.hostname]
}

const hiding = (hidden: ReadonlyArray<string>): Words => {
  const parts = hidden.filter((text) => text.length >= shortestSecret)
  return parts.length === 0
    ? (text) => text
    : (text) => parts.reduce((left, part) => left.replaceAll(part, "…"), text)
}

const outcomeIn = (hide: Words, outcome: ProviderOutcome): ProviderOutcome => {
  switch (outcome._tag) {
    case "ModelFailed":
    case "ProviderError":
    case "Lost":
      return { ...outcome, message: clean(hide(outcome.message)) }
    case "Succeeded":
    case "CutShort":
    case "RateLimited":
    case "Stopped":
    case "Unreachable":
      return outcome
  }
}

const progressIn = (hide: Words, { fraction, logs }: Progress): Progress => ({
  fraction,
  logs: logs.map((line) => cleanLine(hide(line)))
})

const controlIn = (hide: Words, control: RunControl): RunControl =>
  ReplacedControl.of(control, {
    progress: (report) => control.progress(progressIn(hide, report)),
    note: (report) => control.note(progressIn(hide, report))
  })

const stateIn = (hide: Words, state: JobState): JobState =>
  state._tag === "Finished" ? { ...state, outcome: outcomeIn(hide, state.outcome) } : state

/** Wraps a provider whose texts clients may read. */
export const discreet = (provider: Provider, http: Pick<ProviderHttp["Service"], "secret">): Provider => {
  const words = ({ binding }: Pick<Job, "binding">): Effect.Effect<Words> =>
    binding.secretEnv === undefined
      ? Effect.succeed(hiding(hostsOf(binding)))
      : Effect.map(http.secret(binding), (secret) =>
          hiding([...(secret === null ? [] : [Redacted.value(secret)]), ...hostsOf(binding)])
        )
  return {
    ...provider,
    run: (job, control) =>
      Effect.flatMap(words(job), (hide) =>
        Effect.map(provider.run(job, controlIn(hide, control)), (outcome) => outcomeIn(hide, outcome))
      ),
    reattach: (job, jobId, control) =>
      Effect.flatMap(words(job), (hide) =>
        Effect.map(provider.reattach(job, jobId, controlIn(hide, control)), (outcome) =>
          outcomeIn(hide, outcome)
        )
      ),
    look: (job, jobId) =>
      Effect.flatMap(words(job), (hide) =>
        Effect.map(provider.look(job, jobId), (state) => stateIn(hide, state))
      )
  }
}
