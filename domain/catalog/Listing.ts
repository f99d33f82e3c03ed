/** The catalog items that do not run: collections, GPUs and deployment templates. All three have the same life cycle. */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import { type Json, stringify } from "../CanonicalJson.ts"
import * as EventCodec from "../EventCodec.ts"
import { Collection } from "./Collection.ts"
import { DeploymentTemplate } from "./DeploymentTemplate.ts"
import { Gpu } from "./Gpu.ts"
import * as MemberOrder from "./MemberOrder.ts"

/** `at`: Unix time in ms. `source`: `builtin`, a manifest's path, or `command`. */
const publication = { at: Schema.Int, source: Schema.String }
const withdrawal = { at: Schema.Int, source: Schema.optionalKey(Schema.String) }

/** Names and fields of the events are the storage format: add cases or optional fields, never rename. */
export const CollectionPublished = Schema.TaggedStruct("CollectionPublished", {
  ...publication,
  collection: Collection
})
export const CollectionWithdrawn = Schema.TaggedStruct("CollectionWithdrawn", withdrawal)

export const GpuPublished = Schema.TaggedStruct("GpuPublished", { ...publication, gpu: Gpu })
export const GpuWithdrawn = Schema.TaggedStruct("GpuWithdrawn", withdrawal)

export const DeploymentTemplatePublished = Schema.TaggedStruct("DeploymentTemplatePublished", {
  ...publication,
  template: DeploymentTemplate,
  texts: Schema.optionalKey(MemberOrder.FieldTexts)
})
export const DeploymentTemplateWithdrawn = Schema.TaggedStruct("DeploymentTemplateWithdrawn", withdrawal)

interface Publish<Definition> {
  readonly _tag: "Publish"
  readonly at: number
  readonly source: string
  readonly definition: Definition
  /** Whether a withdrawn item is listed again even if its definition has not changed. */
  readonly reactivates: boolean
}

interface Withdraw {
  readonly _tag: "Withdraw"
  readonly at: number
  readonly source: string
}

export type Command<Definition> = Publish<Definition> | Withdraw

export type State<Definition> =
  | { readonly _tag: "NotPublished" }
  | { readonly _tag: "Published"; readonly definition: Definition; readonly isWithdrawn: boolean }

/** Never published, or withdrawn. */
export interface Rejection {
  readonly _tag: "ItemNotFound"
}

interface Kind<Definition, Event extends EventCodec.DomainEvent> {
  readonly category: string
  readonly definition: Schema.Codec<Definition, Json>
  readonly codec: EventCodec.EventCodec<Event>
  readonly published: (options: Omit<Publish<Definition>, "_tag" | "reactivates">) => Event
  readonly withdrawn: (options: Omit<Withdraw, "_tag">) => Event
  /** `null` for a withdrawal. */
  readonly definitionOf: (event: Event) => Definition | null
}

export interface Listing<Definition, Event extends EventCodec.DomainEvent> extends Aggregate<
  State<Definition>,
  Command<Definition>,
  Event,
  Rejection
> {
  /** Whether both have the same encoding on the log, and show their members in the same order. */
  readonly isEqual: (a: Definition, b: Definition) => boolean
}

const make = <Definition, Event extends EventCodec.DomainEvent>({
  category,
  codec,
  definition,
  definitionOf,
  published,
  withdrawn
}: Kind<Definition, Event>): Listing<Definition, Event> => {
  const encode = Schema.encodeSync(definition)
  const isEqual = (a: Definition, b: Definition) => {
    const [one, other] = [encode(a), encode(b)]
    return (
      stringify(one) === stringify(other) &&
      MemberOrder.isSame(MemberOrder.textsIn(one), MemberOrder.textsIn(other))
    )
  }

  const decide = (
    command: Command<Definition>,
    state: State<Definition>
  ): Result.Result<ReadonlyArray<Event>, Rejection> => {
    switch (command._tag) {
      case "Publish": {
        const { at, definition, reactivates, source } = command
        const isUnchanged =
          state._tag === "Published" &&
          isEqual(state.definition, definition) &&
          !(state.isWithdrawn && reactivates)
        return Result.succeed(isUnchanged ? [] : [published({ at, source, definition })])
      }
      case "Withdraw":
        return state._tag === "NotPublished" || state.isWithdrawn
          ? Result.fail({ _tag: "ItemNotFound" })
          : Result.succeed([withdrawn({ at: command.at, source: command.source })])
    }
  }

  const evolve = (state: State<Definition>, event: Event): State<Definition> => {
    const definition = definitionOf(event)
    if (definition !== null) return { _tag: "Published", definition, isWithdrawn: false }
    return state._tag === "Published" ? { ...state, isWithdrawn: true } : state
  }

  return { category, codec, isEqual, decider: { initial: { _tag: "NotPublished" }, decide, evolve } }
}

/** The id of a stream is the slug. */
export const collections = make({
  category: "Collection",
  definition: Collection,
  codec: EventCodec.make([CollectionPublished, CollectionWithdrawn]),
  published: ({ definition, ...options }) => CollectionPublished.make({ ...options, collection: definition }),
  withdrawn: (options) => CollectionWithdrawn.make(options),
  definitionOf: (event) => (event._tag === "CollectionPublished" ? event.collection : null)
})

/** Named by their ids. */
export const gpus = make({
  category: "Gpu",
  definition: Gpu,
  codec: EventCodec.make([GpuPublished, GpuWithdrawn]),
  published: ({ definition, ...options }) => GpuPublished.make({ ...options, gpu: definition }),
  withdrawn: (options) => GpuWithdrawn.make(options),
  definitionOf: (event) => (event._tag === "GpuPublished" ? event.gpu : null)
})

/** Its variables in the order of their manifest, which the log has lost. */
const inOrder = ({ template, texts }: typeof DeploymentTemplatePublished.Type): DeploymentTemplate => {
  const text = texts?.["env"]
  return text === undefined ? template : { ...template, env: decodeEnv(text) }
}

const decodeEnv = Schema.decodeSync(Schema.fromJsonString(DeploymentTemplate.fields.env))

/** Named by their ids. */
export const deploymentTemplates = make({
  category: "DeploymentTemplate",
  definition: DeploymentTemplate,
  codec: EventCodec.make([DeploymentTemplatePublished, DeploymentTemplateWithdrawn]),
  published: ({ definition, ...options }) => {
    const texts = MemberOrder.textsOf({ env: definition.env })
    return DeploymentTemplatePublished.make({
      ...options,
      template: definition,
      ...(texts !== null && { texts })
    })
  },
  withdrawn: (options) => DeploymentTemplateWithdrawn.make(options),
  definitionOf: (event) => (event._tag === "DeploymentTemplatePublished" ? inOrder(event) : null)
})
