/**
 * The addresses of a request on fal's queue (https://fal.ai/docs/api-reference/inference-api, "Model IDs and paths"):
 * it is submitted to the model's full path, and then found under owner and app. "Do not build these URLs yourself": the
 * answer names them, and they are used if they have the binding's origin.
 */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"

export const submission = (base: string, app: string, webhook: string | null): string =>
  webhook === null ? `${base}/${app}` : `${base}/${app}?fal_webhook=${encodeURIComponent(webhook)}`

const isId = (id: Json | undefined): id is string =>
  typeof id === "string" && /^[A-Za-z0-9_-]{1,128}$/.test(id)

const isPath = (path: string): boolean =>
  path.length <= 512 && path.includes("/") && path.split("/").every((part) => /^[\w-][\w.~-]*$/.test(part))

const usualPath = (app: string, id: string): string =>
  `${app.split("/").slice(0, 2).join("/")}/requests/${id}`

/** A request's reference, valid after a restart: its id, or its path if that is needed. `null` without either. */
export const jobIdOf = (base: string, app: string, answer: JsonObject): string | null => {
  const { request_id: id, response_url: url } = answer
  if (!isId(id)) return null
  const path = typeof url === "string" && url.startsWith(`${base}/`) ? url.slice(base.length + 1) : null
  return path === null || path === usualPath(app, id) || !isPath(path) ? id : path
}

/** Of the result; `/status` and `/cancel` are below it. */
export const request = (base: string, app: string, jobId: string): string =>
  `${base}/${isId(jobId) ? usualPath(app, jobId) : jobId}`
