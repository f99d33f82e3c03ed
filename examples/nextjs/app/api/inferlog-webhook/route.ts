/** `POST /api/inferlog-webhook`: takes the events of requests that were submitted with this address as `webhook`. */
import { verifyWebhook, WebhookVerificationError } from "@inferlog/client"
import { setting } from "../../inferlog.ts"

export const POST = async (request: Request): Promise<Response> => {
  try {
    const body = await request.text()
    const event = await verifyWebhook({ body, headers: request.headers, secret: setting("WEBHOOK_SECRET") })
    // Store it under the header `webhook-id`: a delivery may come twice. Answer within 15 seconds, and work on it afterwards.
    void event
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 400 })
    throw error
  }
}
