import {
  Client,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type VersionNegotiationOptions
} from "@modelcontextprotocol/client"
import { answerOf, type Assistant, type Fetch } from "./Assistant.ts"
import { RememberedLogin } from "./RememberedLogin.ts"

/** `@modelcontextprotocol/client`, the second generation: it checks issuers, and can ask a server for newer revisions first. */
export const make = (
  mcpUrl: string,
  through: Fetch = fetch,
  versionNegotiation: VersionNegotiationOptions = {}
): Assistant => {
  const login = new RememberedLogin<StoredOAuthClientInformation, StoredOAuthTokens, OAuthDiscoveryState>()
  const client = new Client({ name: "test-assistant", version: "2.0.0" }, { versionNegotiation })
  const newTransport = () =>
    new StreamableHTTPClientTransport(new URL(`${mcpUrl}/mcp`), { authProvider: login, fetch: through })
  let transport = newTransport()
  return {
    login,
    clientId: () => login.registration?.client_id ?? "",
    connect: async () => {
      try {
        await client.connect(transport)
        return true
      } catch (error) {
        if (!UnauthorizedError.isInstance(error)) throw error
        return false
      }
    },
    finish: async (back) => {
      await transport.finishAuth(back.searchParams)
      transport = newTransport()
    },
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}, onprogress) => {
      const options = onprogress === undefined ? {} : { onprogress }
      return answerOf(await client.callTool({ name, arguments: { ...input } }, options))
    },
    session: () => ({ id: transport.sessionId, protocolVersion: transport.protocolVersion }),
    endSession: () => transport.terminateSession(),
    close: () => client.close(),
    isUnauthorized: (error) => UnauthorizedError.isInstance(error)
  }
}
