/** The response object (https://platform.openai.com/docs/api-reference/responses/object) of a chat completion. */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as CustomTools from "./CustomTools.ts"
import * as ResponseItems from "./ResponseItems.ts"

export interface About {
  readonly id: string
  readonly model: string
  /** Unix time in seconds. */
  readonly created: number
  /** The body of the call, parts of which the response repeats. */
  readonly body: JsonObject
}

export const aboutOf = ({ id, request }: Snapshot, body: JsonObject): About => ({
  id: `resp_${id}`,
  model: request.submitted.model,
  created: Math.floor(request.submitted.at / 1_000),
  body
})

const numberOf = (value: Json | undefined): number => (typeof value === "number" ? value : 0)

const detailOf = (details: Json | undefined, name: string): number =>
  isObject(details) ? numberOf(details[name]) : 0

/** `null` without one. */
const usageOf = (usage: Json): Json =>
  isObject(usage)
    ? {
        input_tokens: numberOf(usage["prompt_tokens"]),
        input_tokens_details: { cached_tokens: detailOf(usage["prompt_tokens_details"], "cached_tokens") },
        output_tokens: numberOf(usage["completion_tokens"]),
        output_tokens_details: {
          reasoning_tokens: detailOf(usage["completion_tokens_details"], "reasoning_tokens")
        },
        total_tokens: numberOf(usage["total_tokens"])
      }
    : null

/** What makes the items of this response. */
export const makerOf = ({ body, id }: About): ResponseItems.Maker => ({
  id: id.slice("resp_".length),
  custom: CustomTools.namesIn(body)
})

/** Why an answer that ended so is incomplete; `null` if it is complete. */
const cutReason = (finish: Json | undefined): string | null => {
  if (finish === "length") return "max_output_tokens"
  return finish === "content_filter" ? finish : null
}

export const statusOf = (finish: Json | undefined) =>
  cutReason(finish) === null ? "completed" : "incomplete"

export interface State {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed"
  /** `finish_reason` of the chat. */
  readonly finish?: Json | undefined
  readonly items: ReadonlyArray<JsonObject>
  readonly usage: Json
  readonly error?: JsonObject
}

export const make = (
  { body, created, id, model }: About,
  { error, finish, items, status, usage }: State
): JsonObject => ({
  id,
  object: "response",
  created_at: created,
  status,
  error: error ?? null,
  incomplete_details: status === "incomplete" ? { reason: cutReason(finish) } : null,
  instructions: body["instructions"] ?? null,
  max_output_tokens: body["max_output_tokens"] ?? null,
  model,
  output: items,
  parallel_tool_calls: body["parallel_tool_calls"] ?? true,
  previous_response_id: null,
  reasoning: body["reasoning"] ?? { effort: null, summary: null },
  store: false,
  temperature: body["temperature"] ?? null,
  text: body["text"] ?? { format: { type: "text" } },
  tool_choice: body["tool_choice"] ?? "auto",
  tools: body["tools"] ?? [],
  top_p: body["top_p"] ?? null,
  truncation: "disabled",
  usage: usageOf(usage),
  user: body["user"] ?? null,
  metadata: body["metadata"] ?? {}
})

export const ofCompletion = (about: About, completion: JsonObject): JsonObject => {
  const chosen = ResponseItems.chosenIn(completion)
  const finish = chosen?.choice["finish_reason"]
  return make(about, {
    status: statusOf(finish),
    finish,
    items: chosen === null ? [] : ResponseItems.ofChosen(makerOf(about), chosen),
    usage: completion["usage"] ?? null
  })
}
