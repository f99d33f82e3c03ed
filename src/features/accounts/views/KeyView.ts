/** The wire form of an API key (decisions, "Platform routes"). Its secret is shown only when it is created. */
import { Schema } from "effect"
import { Scope } from "#domain/account/Grant.ts"
import * as Money from "#domain/Money.ts"
import type { KeyItem } from "#projections/keys/KeyViews.ts"
import * as ApiKey from "../ApiKey.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"

const time = (description: string) => Schema.NullOr(DateTime.DateTime).annotate({ description })

export const scopes = Schema.Array(Scope).annotate({ description: "What it may do." })

const modelEndpoints = Schema.NullOr(Schema.Array(Schema.String)).annotate({
  description: "The models, `owner/model`, whose requests it may submit and see; null: every model's."
})

const monthlyBudget = Schema.NullOr(Schema.String).annotate({
  description:
    "The most that its requests may cost in a calendar month (UTC), in USD; null: no limit of its own."
})

const origins = Schema.NullOr(Schema.Array(Schema.String)).annotate({
  description:
    "The origins of web pages that may use it, and that its keys and tokens may name; null: no page may use it, and they may name any."
})

const fields = {
  id: Schema.String,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The beginning of the key, without its secret." }),
  scopes,
  modelEndpoints,
  monthlyBudget,
  createdAt: DateTime.DateTime,
  lastUsedAt: time("To the minute; null when it was not used, as far as is known."),
  origins,
  expiresAt: time("The key is invalid from this time on; null: never."),
  rotatedAt: time("When its secret was last rotated."),
  revokedAt: time("When it was revoked.")
}

const exampleId = "key_0123456789abcdef_aB3dE5gH"

const example = {
  id: exampleId,
  name: "ci",
  prefix: `${exampleId}:`,
  scopes: ["requests:write", "requests:read"],
  modelEndpoints: ["vision/ocr"],
  monthlyBudget: "25",
  origins: ["https://app.example"],
  createdAt: "2026-01-05T12:00:00.000Z",
  lastUsedAt: "2026-01-06T08:30:00.000Z",
  expiresAt: "2026-07-01T00:00:00.000Z",
  rotatedAt: null,
  revokedAt: null
} as const

export const KeyBody = Schema.Struct(fields).annotate({
  identifier: "ApiKey",
  description: "An API key without its secret.",
  examples: [
    example,
    {
      ...example,
      scopes: [...Scope.literals],
      modelEndpoints: null,
      monthlyBudget: null,
      origins: null,
      expiresAt: null
    }
  ]
})
export type KeyBody = typeof KeyBody.Type

const key = Schema.String.annotate({ description: "`<id>:<secret>`, shown only here." })

const exampleKey = `${exampleId}:hT0YBzdYtWUqsSKUyqwQ2tqTqsCMEbCJzQdWs2Sz1fE`

export const IssuedBody = Schema.Struct({ ...fields, key }).annotate({
  identifier: "IssuedApiKey",
  description: "A new API key.",
  examples: [{ ...example, lastUsedAt: null, key: exampleKey }]
})

export const RotatedBody = Schema.Struct({
  ...fields,
  key,
  previousKeyExpiresAt: time("The previous secret is valid until this time; null: it is invalid.")
}).annotate({
  identifier: "RotatedApiKey",
  description: "An API key with its new secret, valid at once.",
  examples: [
    {
      ...example,
      rotatedAt: "2026-01-06T12:00:00.000Z",
      key: exampleKey,
      previousKeyExpiresAt: "2026-01-07T12:00:00.000Z"
    }
  ]
})

export const ListBody = ListView.bodyOf(KeyBody).annotate({
  identifier: "ApiKeys",
  description: "A page of the account's keys.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [example], next: null }]
})

export const record = (item: KeyItem): KeyBody => ({
  id: item.keyId,
  name: item.name,
  prefix: ApiKey.prefixOf(item.keyId),
  scopes: item.scopes,
  modelEndpoints: item.modelEndpoints,
  monthlyBudget: item.monthlyBudget === null ? null : Money.format(item.monthlyBudget),
  origins: item.origins,
  createdAt: DateTime.format(item.issuedAt),
  lastUsedAt: DateTime.formatNullable(item.lastUsedAt),
  expiresAt: DateTime.formatNullable(item.expiresAt),
  rotatedAt: DateTime.formatNullable(item.rotatedAt),
  revokedAt: DateTime.formatNullable(item.revokedAt)
})

export const opened = ({ item, key }: { readonly item: KeyItem; readonly key: ApiKey.ApiKey }) => ({
  ...record(item),
  key: ApiKey.format(key)
})
