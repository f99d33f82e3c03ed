/** `POST /api/inferlog-token`: a token for the page of the person who is signed in. */
import { client, personAt, setting } from "../../inferlog.ts"

/** What the page may do, for ten minutes. */
const allowed = { expiresIn: 600, models: ["acme/writer"] }

export const POST = async (request: Request): Promise<Response> => {
  const person = await personAt(request)
  if (person instanceof Response) return person
  // Tokens of the same user open each other's requests, so a page that gets a new token goes on.
  const { expiresAt, token } = await client().keys.createToken({
    ...allowed,
    user: person.user,
    origins: [person.origin]
  })
  const headers = { "Cache-Control": "no-store" }
  return Response.json({ url: setting("INFERLOG_URL"), token, expiresAt }, { headers })
}
