/** `POST /api/inferlog-upload`: where the page may send one file. Tokens do not begin uploads, so that you decide how much anybody stores. */
import { client, personAt } from "../../inferlog.ts"

const mostBytes = 20 * 1024 * 1024

interface Announced {
  readonly file_name?: unknown
  readonly content_type?: unknown
  readonly size?: unknown
}

export const POST = async (request: Request): Promise<Response> => {
  const person = await personAt(request)
  if (person instanceof Response) return person
  const { content_type: type, file_name: name, size } = (await request.json()) as Announced
  const isAllowed =
    typeof name === "string" &&
    typeof type === "string" &&
    type.startsWith("image/") &&
    typeof size === "number" &&
    size <= mostBytes
  if (!isAllowed) return Response.json({ error: "Send a picture of at most 20 MiB." }, { status: 400 })
  return Response.json(await client().files.initiate({ file_name: name, content_type: type, size }))
}
