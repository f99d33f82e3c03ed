/**
 * Tokens for pages, and a receiver of webhooks, in Hono. Settings: `INFERLOG_URL`, `INFERLOG_API_KEY`, `WEBHOOK_SECRET`, `APP_ORIGIN`
 * (such as https://app.example).
 */
import { Inferlog, verifyWebhook, WebhookVerificationError } from "@inferlog/client"
import { type Context, Hono } from "hono"

/** Replace this with your sign-in. Returns `null` without a signed-in user. */
const userOf = (_context: Context): string | null => process.env["DEMO_USER"] ?? null

export const app = new Hono()

app.post("/api/inferlog-token", async (context) => {
  const { APP_ORIGIN: origin = "", INFERLOG_URL: url } = process.env
  // Cookies come with calls of other pages, too.
  if (context.req.header("origin") !== origin)
    return context.text("Only pages of this application may ask.", 403)
  const user = userOf(context)
  if (user === null) return context.text("Sign in first.", 401)
  const { expiresAt, token } = await new Inferlog().keys.createToken({
    expiresIn: 600,
    models: ["acme/writer"],
    user,
    origins: [origin]
  })
  return context.json({ url, token, expiresAt }, 200, { "Cache-Control": "no-store" })
})

app.post("/api/inferlog-webhook", async (context) => {
  try {
    const body = await context.req.text()
    const headers = context.req.raw.headers
    const event = await verifyWebhook({ body, headers, secret: process.env["WEBHOOK_SECRET"] ?? "" })
    // Store it under the header `webhook-id`: a delivery may come twice. Answer within 15 seconds, and work on it afterwards.
    void event
    return context.body(null, 204)
  } catch (error) {
    if (error instanceof WebhookVerificationError) return context.text(error.message, 400)
    throw error
  }
})
