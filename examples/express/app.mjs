/**
 * Tokens for pages, and a receiver of webhooks, in Express 5. Settings: `INFERLOG_URL`, `INFERLOG_API_KEY`, `WEBHOOK_SECRET`, `APP_ORIGIN`
 * (such as https://app.example).
 */
import { Inferlog, verifyWebhook, WebhookVerificationError } from "@inferlog/client"
import express from "express"

/** Replace this with your sign-in. Returns `null` without a signed-in user. */
const userOf = (_request) => process.env.DEMO_USER ?? null

export const app = express()

app.post("/api/inferlog-token", async (request, response) => {
  const { APP_ORIGIN: origin = "", INFERLOG_URL: url } = process.env
  // Cookies come with calls of other pages, too.
  if (request.get("origin") !== origin)
    return response.status(403).send("Only pages of this application may ask.")
  const user = userOf(request)
  if (user === null) return response.status(401).send("Sign in first.")
  const { expiresAt, token } = await new Inferlog().keys.createToken({
    expiresIn: 600,
    models: ["acme/writer"],
    user,
    origins: [origin]
  })
  response.set("Cache-Control", "no-store").json({ url, token, expiresAt })
})

// The bytes as they came: JSON that `express.json()` has parsed cannot be verified.
app.post("/api/inferlog-webhook", express.raw({ type: "*/*", limit: "10mb" }), async (request, response) => {
  const { body, headers } = request
  try {
    const event = await verifyWebhook({ body, headers, secret: process.env.WEBHOOK_SECRET })
    // Store it under the header `webhook-id`: a delivery may come twice. Answer within 15 seconds, and work on it afterwards.
    void event
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.status(400).send(error.message)
  }
})
