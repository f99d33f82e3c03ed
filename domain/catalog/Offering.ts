/**
 * What an endpoint runs: a model, or a wrapper of one. The log has every published definition, so that a request can use the
 * one that it was submitted against.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"
import * as MemberOrder from "./MemberOrder.ts"
import { Model } from "./Model.ts"
import { Wrapper } from "./Wrapper.ts"

/** Unix time in ms. */
const at = Schema.Int

/** The origin: `builtin`, a manifest's path, or `command`. */
const source = Schema.String

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
export const ModelPublished = Schema.TaggedStruct("ModelPublished", {
  at,
  source,
  model: Model,
  texts: Schema.optionalKey(MemberOrder.FieldTexts)
})

export const WrapperPublished = Schema.TaggedStruct("WrapperPublished", {
  at,
  source,
  wrapper: Wrapper,
  texts: Schema.optionalKey(MemberOrder.FieldTexts)
})

/** The model still runs, and is shown as deprecated. */
export const ModelDeprecated = Schema.TaggedStruct("ModelDeprecated", {
  at,
  source: Schema.optionalKey(source)
})

/** Offered again unchanged after it was deprecated or withdrawn. */
export const ModelReactivated = Schema.TaggedStruct("ModelReactivated", { at, source })

/** No longer shown, and new requests are rejected. Accepted requests finish normally. */
export const ModelWithdrawn = Schema.TaggedStruct("ModelWithdrawn", {
  at,
  source: Schema.optionalKey(source)
})

export const codec = EventCodec.make([
  ModelPublished,
  WrapperPublished,
  ModelDeprecated,
  ModelReactivated,
  ModelWithdrawn
])
export type Event = ReturnType<typeof codec.decode>

export type Definition =
  | { readonly kind: "model"; readonly model: Model }
  | { readonly kind: "wrapper"; readonly wrapper: Wrapper }

export type Kind = Definition["kind"]

export type Command =
  | {
      readonly _tag: "Publish"
      readonly at: number
      readonly source: string
      readonly definition: Definition
      /** Whether a deprecated or withdrawn item is offered again even if its definition has not changed. */
      readonly reactivates: boolean
    }
  | { readonly _tag: "Deprecate"; readonly at: number; readonly source: string }
  | { readonly _tag: "Withdraw"; readonly at: number; readonly source: string; readonly kind: Kind }

export type State =
  | { readonly _tag: "NotPublished" }
  | {
      readonly _tag: "Published"
      readonly kind: Kind
      /** The version of the current definition. */
      readonly version: string
      /** How the definition orders members; `null`: as canonical JSON does. */
      readonly texts: MemberOrder.FieldTexts | null
      readonly status: "active" | "deprecated" | "withdrawn"
    }

export type Rejection =
  /** A model cannot take a wrapper's endpoint, nor the other way round: the history would mix both. */
  | { readonly _tag: "EndpointTaken" }
  /** Never published, withdrawn, or of the other kind. */
  | { readonly _tag: "ItemNotFound" }

const published = (
  command: Extract<Command, { readonly _tag: "Publish" }>
): typeof ModelPublished.Type | typeof WrapperPublished.Type => {
  const { at, definition, source } = command
  const texts = textsOf(definition)
  const order = texts === null ? {} : { texts }
  return definition.kind === "model"
    ? { _tag: "ModelPublished", at, source, model: definition.model, ...order }
    : { _tag: "WrapperPublished", at, source, wrapper: definition.wrapper, ...order }
}

const textsOf = (definition: Definition): MemberOrder.FieldTexts | null =>
  MemberOrder.textsOf(definition.kind === "model" ? definition.model : definition.wrapper)

const versionOf = (definition: Definition): string =>
  definition.kind === "model" ? definition.model.version : definition.wrapper.version

const decide = (command: Command, state: State): Result.Result<ReadonlyArray<Event>, Rejection> => {
  switch (command._tag) {
    case "Publish": {
      const { at, definition, reactivates, source } = command
      if (state._tag === "NotPublished") return Result.succeed([published(command)])
      if (state.kind !== definition.kind) return Result.fail({ _tag: "EndpointTaken" })
      if (state.version !== versionOf(definition)) return Result.succeed([published(command)])
      if (state.status === "active" && !MemberOrder.isSame(state.texts, textsOf(definition)))
        return Result.succeed([published(command)])
      const isOfferedAgain = reactivates && state.status !== "active"
      return Result.succeed(isOfferedAgain ? [{ _tag: "ModelReactivated", at, source }] : [])
    }
    case "Deprecate":
      if (state._tag === "NotPublished" || state.status === "withdrawn")
        return Result.fail({ _tag: "ItemNotFound" })
      return Result.succeed(state.status === "deprecated" ? [] : [{ ...command, _tag: "ModelDeprecated" }])
    case "Withdraw":
      if (state._tag === "NotPublished" || state.status === "withdrawn" || state.kind !== command.kind)
        return Result.fail({ _tag: "ItemNotFound" })
      return Result.succeed([{ _tag: "ModelWithdrawn", at: command.at, source: command.source }])
  }
}

const publishedAs = (kind: Kind, version: string, texts: MemberOrder.FieldTexts | null = null): State => ({
  _tag: "Published",
  kind,
  version,
  texts,
  status: "active"
})

const evolve = (state: State, event: Event): State => {
  switch (event._tag) {
    case "ModelPublished":
      return publishedAs("model", event.model.version, event.texts)
    case "WrapperPublished":
      return publishedAs("wrapper", event.wrapper.version, event.texts)
    case "ModelDeprecated":
      return state._tag === "Published" ? { ...state, status: "deprecated" } : state
    case "ModelReactivated":
      return state._tag === "Published" ? { ...state, status: "active" } : state
    case "ModelWithdrawn":
      return state._tag === "Published" ? { ...state, status: "withdrawn" } : state
  }
}

/** The id of a stream is the endpoint: `Model-{owner}/{name}`. */
export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "Model",
  codec,
  decider: { initial: { _tag: "NotPublished" }, decide, evolve }
}
