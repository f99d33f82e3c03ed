/** Checks an overdue run (decisions, "Overdue"): leaves it if alive, records its end, or repeats it if it was lost. */
import { Effect, Fiber, Option } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { Request, Run } from "#domain/inference-request/State.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { DueClaim } from "#projections/due-work/DueWork.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import type { Job, JobState } from "#src/features/providers/Provider.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import * as FollowedTime from "../FollowedTime.ts"
import * as Mapping from "../Mapping.ts"
import * as OutcomeRecord from "../OutcomeRecord.ts"
import { Runs } from "../Runs.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

/** How long a provider may take to answer. */
const lookLimit = "10 seconds"

/** How long the claims of a dead node are left to the node that its hash names (`dispatch/Recovery.ts`), ms. */
const recoveryMs = 15_000

type Found = "alive" | "finished" | "lost"

const alive: JobState = { _tag: "Alive" }
const unknown: JobState = { _tag: "Unknown" }

export const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const catalog = yield* Catalog
  const node = yield* Nodes
  const payloads = yield* Payloads
  const providers = yield* Providers
  const { record } = yield* OutcomeRecord.make
  const runs = yield* Runs
  const scope = yield* Effect.scope

  /** Since when nodes count as dead; only the few whose claims were overdue. */
  const deadSince = new Map<string, number>()

  /** A retry of the sweep would wait a minute, although another node is about to run the request. */
  const isBeingRecovered = (owner: string) =>
    Effect.map(MonotonicTime.millis, (now) => {
      if (owner === node.self || node.live().length < 2) return false
      const since = deadSince.get(owner) ?? now
      deadSince.set(owner, since)
      return now - since < recoveryMs
    })

  /** The node that follows the run handles it; this needs no provider. */
  const isInHand = (owner: string, id: RequestId) =>
    owner === node.self ? runs.has(id) : node.isAlive(owner)

  /** A provider that gives no answer may be at work, so no second run starts. An uninterruptible call is abandoned. */
  const ask = Effect.fnUntraced(function* (look: Effect.Effect<JobState>) {
    const asking = yield* Effect.forkIn(look, scope)
    const answer = yield* Effect.timeoutOption(Fiber.await(asking), lookLimit)
    if (Option.isNone(answer)) {
      yield* Effect.forkIn(Fiber.interrupt(asking), scope)
      yield* Effect.logWarning("A provider does not report the state of an overdue job")
      return alive
    }
    if (answer.value._tag === "Success") return answer.value.value
    yield* Effect.logError("A provider failed to report the state of an overdue job", answer.value.cause)
    return alive
  })

  const lost = Effect.fnUntraced(function* (id: RequestId, attempt: number) {
    const at = yield* steady.now
    yield* actors.execute(id, { _tag: "SweepRetry", at, attempt, reason: "lost" })
    yield* runs.stop(id)
  })

  const lookAt = (
    job: Omit<Job, "input" | "model" | "binding">,
    jobId: string,
    entry: CatalogEntry,
    binding: ProviderBinding
  ) => {
    const provider = providers.find(binding.adapter)
    return provider === null
      ? Effect.succeed(unknown)
      : ask(Effect.suspend(() => provider.look({ ...job, model: Mapping.modelOf(entry), binding }, jobId)))
  }

  /** By the node that follows it; whether it took the run over is unknown here. */
  const followedSince = (id: RequestId, { phase }: Request): number | null =>
    phase._tag === "Running" && isInHand(phase.run.node, id) ? phase.runStartedAt : null

  /** `null` if the input, which units may be counted by, cannot be read now. */
  const inTermsOfModel = Effect.fnUntraced(
    function* (
      id: RequestId,
      request: Request,
      entry: CatalogEntry,
      binding: ProviderBinding,
      reported: ProviderOutcome,
      now: number
    ) {
      const stream = StreamName.make(InferenceRequest.aggregate.category, id)
      const submitted = JsonText.parse(
        yield* payloads.open(stream, "input", request.submitted.payloads.input)
      )
      const seconds = FollowedTime.seconds(request, { now, since: followedSince(id, request) })
      return yield* Mapping.outcomeOf({ entry, binding, submitted }, reported, seconds)
    },
    Effect.catch((error) =>
      Effect.as(Effect.logError("The input of an overdue run cannot be read", error), null)
    )
  )

  const withJob = Effect.fnUntraced(function* (id: RequestId, request: Request, jobId: string) {
    const { accountId, model, modelVersion } = request.submitted
    const { attempt } = request
    const job = { requestId: id, accountId, submittedAt: WallTime.dateOf(request.submitted), attempt }
    const entry = yield* catalog
      .findVersion(model, modelVersion)
      .pipe(Effect.catchTag("NotKnownHere", () => Effect.succeed(undefined)))
    // Another node can ask for it, or this one when it knows the model.
    if (entry === undefined) return "alive"
    if (entry === null) {
      yield* lost(id, attempt)
      return "lost"
    }
    const binding = yield* Mapping.findBinding(catalog, entry, request)
    const state = yield* lookAt(job, jobId, entry, binding)
    switch (state._tag) {
      case "Alive":
        return "alive"
      case "Finished": {
        const at = yield* steady.now
        const outcome = yield* inTermsOfModel(id, request, entry, binding, state.outcome, at)
        // Checked again in a minute.
        if (outcome === null) return "alive"
        yield* record({ job, entry, outcome, at, startedAt: null })
        yield* runs.stop(id)
        return "finished"
      }
      case "Unknown":
        yield* lost(id, attempt)
        return "lost"
    }
  })

  const withoutJob = Effect.fnUntraced(function* (id: RequestId, attempt: number, { node: owner }: Run) {
    if (isInHand(owner, id) || (yield* isBeingRecovered(owner))) return "alive"
    yield* lost(id, attempt)
    return "lost"
  })

  /** `null` if the run has ended. */
  return Effect.fnUntraced(function* ({ jobId, node: owner, requestId: id }: DueClaim) {
    // The most common case needs no look-up.
    if (jobId === null && isInHand(owner, id)) return "alive" satisfies Found
    const { state } = yield* actors.refresh(id)
    if (state._tag === "NotSubmitted") return null
    const action = nextAction(state)
    if (action._tag !== "AwaitOutcome" && action._tag !== "StopRun") return null
    const { run } = action
    const found: Found =
      run.jobId === null ? yield* withoutJob(id, state.attempt, run) : yield* withJob(id, state, run.jobId)
    return found
  })
})
