/** What home asks for. Its route asks at once, while the code of the view is loaded. */
import { apiQuery } from "#console/api/Queries.ts"

/** The account's last requests. */
export const recent = apiQuery("listRequests", { query: { limit: "5" } })

export const balance = apiQuery("getBalance", {})

/** What home shows some of. */
export const models = apiQuery("listModels", { query: { status: "active", limit: "50" } })

/** How long those models are shown without asking again, ms. */
export const modelsStaleMs = 60_000
