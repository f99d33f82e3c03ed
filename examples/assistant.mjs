// An assistant built with the official client: node examples/assistant.mjs [http://127.0.0.1:8080]
// It registers, lets you sign in with a browser, uploads a picture and runs vision/ocr on it.
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

const say = (text) => process.stdout.write(`${text}\n`)
const fail = (text) => {
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

const address = process.argv[2] ?? "http://127.0.0.1:8080"
const url = URL.parse(address) ?? fail(`Expected a URL such as http://127.0.0.1:8080, got ${address}`)
if (url.pathname === "/") url.pathname = "/mcp"

// The sign-in page redirects the browser to a free port of this machine.
const listener = createServer().listen(0, "127.0.0.1")
await once(listener, "listening")
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`
const state = randomUUID()

/** A real assistant stores this on disk. */
const stored = {}
const provider = {
  redirectUrl,
  clientMetadata: {
    client_name: "Example assistant",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none"
  },
  state: () => state,
  clientInformation: () => stored.client,
  saveClientInformation: (client) => void (stored.client = client),
  tokens: () => stored.tokens,
  saveTokens: (tokens) => void (stored.tokens = tokens),
  codeVerifier: () => stored.verifier,
  saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
  redirectToAuthorization: (page) => say(`Open this page and sign in:\n\n  ${page}\n`)
}

/** Waits for the redirect from the sign-in page and returns its code. */
async function signedIn() {
  const [request, response] = await once(listener, "request")
  const answer = new URL(request.url, redirectUrl).searchParams
  const isOurs = answer.get("state") === state && answer.has("code")
  response.setHeader("connection", "close").end(isOurs ? "Signed in. Close this page.\n" : "Not signed in.\n")
  if (!isOurs) throw new Error(answer.get("error") ?? "the redirect does not belong to this sign-in")
  return answer.get("code")
}

const newClient = () => new Client({ name: "example-assistant", version: "1.0.0" })
const newTransport = () => new StreamableHTTPClientTransport(url, { authProvider: provider })

/** Connects with stored tokens, or after a sign-in. */
async function connect() {
  const [client, transport] = [newClient(), newTransport()]
  const code = signedIn()
  // An error counts only if the code is needed.
  code.catch(() => {})
  try {
    await client.connect(transport)
    return client
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    await transport.finishAuth(await code)
  }
  const again = newClient()
  await again.connect(newTransport())
  return again
}

/** Returns the result of a tool, or throws its error text. */
async function call(client, name, args, options) {
  const { content, isError, structuredContent } = await client.callTool(
    { name, arguments: args },
    undefined,
    options
  )
  if (isError) throw new Error(content.map(({ text }) => text).join("\n"))
  return structuredContent
}

const client = await connect().catch(({ cause, code, message }) =>
  fail(`Not connected to ${url}: ${cause?.code ?? cause?.message ?? code ?? message}`)
)
const { tools } = await client.listTools()
say(`${tools.length} tools: ${tools.map(({ name }) => name).join(", ")}`)

const { image } = JSON.parse(await readFile(new URL("ocr.json", import.meta.url), "utf8"))
const [, data] = image.split(",")
const { fileUrl } = await call(client, "upload_file", {
  data,
  fileName: "picture.webp",
  contentType: "image/webp"
})
say(`uploaded: ${fileUrl}`)

const { requestId } = await call(client, "run_model", {
  modelEndpoint: "vision/ocr",
  input: { image: fileUrl },
  idempotencyKey: randomUUID()
})
const ended = await call(
  client,
  "wait_for_request",
  { requestId },
  { onprogress: ({ message }) => say(message ?? "") }
)
say(`${ended.status}, ${ended.pricing.cost} USD: ${JSON.stringify(ended.output?.text)}`)

await client.transport.terminateSession()
await client.close()
listener.close()
