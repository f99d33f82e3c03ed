/**
 * `POST /api/inferlog-token` of a Next.js application (App Router): a token for the page of the person who is signed in. The API
 * key stays on this server. Settings: `INFERLOG_URL`, `INFERLOG_KEY`, `APP_ORIGIN` (such as https://app.example).
 */

/** What the page may do, for ten minutes. */
const allowed = { expiresIn: 600, models: ["acme/writer"] }

/** Replace this with your sign-in, such as `auth()` of Auth.js. Returns `null` without a signed-in user. */
const userOf = async (_request: Request): Promise<string | null> => process.env["DEMO_USER"] ?? null

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const refuse = (status: number, error: string): Response => Response.json({ error }, { status })

export const POST = async (request: Request): Promise<Response> => {
  const origin = setting("APP_ORIGIN")
  // Cookies come with calls of other pages, too.
  if (request.headers.get("origin") !== origin) return refuse(403, "Only pages of this application may ask.")
  const user = await userOf(request)
  if (user === null) return refuse(401, "Sign in first.")
  const url = setting("INFERLOG_URL")
  const answer = await fetch(`${url}/keys/tokens`, {
    method: "POST",
    headers: { Authorization: `Key ${setting("INFERLOG_KEY")}`, "Content-Type": "application/json" },
    // Tokens of the same user open each other's requests, so a page that gets a new token goes on.
    body: JSON.stringify({ ...allowed, user, origins: [origin] }),
    cache: "no-store"
  })
  if (!answer.ok) throw new Error(`No token from inferlog: ${answer.status} ${await answer.text()}`)
  const { expiresAt, token } = (await answer.json()) as { readonly token: string; readonly expiresAt: string }
  return Response.json({ url, token, expiresAt }, { headers: { "Cache-Control": "no-store" } })
}
