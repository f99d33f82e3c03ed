/** The messages to and from the lane's thread. */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { Path } from "#domain/JsonText.ts"
import type { Webhook } from "#domain/inference-request/Event.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { JsonError } from "#src/kernel/text/JsonBytes.ts"
import type { InputIssue } from "#src/features/catalog/models/Catalog.ts"

export interface LaneTask {
  readonly body: Uint8Array
  /** The model's input schema; `null` when there is none. */
  readonly schema: Model["inputSchema"] | null
  /** Whether `content` is wanted. */
  readonly hasKey: boolean
  /** The name of the schema, which is compiled once. */
  readonly schemaKey: string
}

export type LaneAnswer =
  | { readonly _tag: "Refused"; readonly fault: JsonError | "not_an_object" }
  /** Two members of one object have this name. */
  | { readonly _tag: "Repeated"; readonly path: Path }
  | {
      readonly _tag: "Read"
      /** The reserved fields, or their issues. */
      readonly webhook: Webhook | null | { readonly issues: ReadonlyArray<InputIssue> }
      /** The issues of the input; empty without a schema. */
      readonly issues: ReadonlyArray<InputIssue>
      /** The input's text as it came, in UTF-8. */
      readonly text: Uint8Array
      /** The body's content (`JsonText.content`); `null` if it is not wanted. */
      readonly content: string | null
      /** The input's members that are numbers, short texts and the like. */
      readonly small: JsonObject
    }
