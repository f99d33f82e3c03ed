/**
 * What the routes of a Next.js application (App Router) share. The API key stays on this server. Settings: `INFERLOG_URL`,
 * `INFERLOG_API_KEY`, `APP_ORIGIN` (such as https://app.example).
 */
import { Inferlog } from "@inferlog/client"

/** Replace this with your sign-in, such as `auth()` of Auth.js. Returns `null` without a signed-in user. */
const userOf = async (_request: Request): Promise<string | null> => process.env["DEMO_USER"] ?? null

export const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const refuse = (status: number, error: string): Response => Response.json({ error }, { status })

/** The person at the page that calls, or the answer that refuses the call. */
export const personAt = async (request: Request): Promise<{ user: string; origin: string } | Response> => {
  const origin = setting("APP_ORIGIN")
  // Cookies come with calls of other pages, too.
  if (request.headers.get("origin") !== origin) return refuse(403, "Only pages of this application may ask.")
  const user = await userOf(request)
  return user === null ? refuse(401, "Sign in first.") : { user, origin }
}

/** Takes address and key from `INFERLOG_URL` and `INFERLOG_API_KEY`. */
export const client = (): Inferlog => new Inferlog()
