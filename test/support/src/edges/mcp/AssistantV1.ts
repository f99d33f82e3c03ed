import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js"
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { answerOf, type Assistant, type Fetch } from "./Assistant.ts"
import { RememberedLogin } from "./RememberedLogin.ts"

/** `@modelcontextprotocol/sdk`, which most assistants use. */
export const make = (mcpUrl: string, through: Fetch = fetch): Assistant => {
  const login = new RememberedLogin<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>()
  const client = new Client({ name: "test-assistant", version: "1.0.0" })
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
        if (!(error instanceof UnauthorizedError)) throw error
        return false
      }
    },
    finish: async (back) => {
      await transport.finishAuth(back.searchParams.get("code") ?? "")
      transport = newTransport()
    },
    tools: async () => (await client.listTools()).tools,
    call: async (name, input = {}, onprogress) => {
      const options = onprogress === undefined ? {} : { onprogress }
      return answerOf(await client.callTool({ name, arguments: { ...input } }, CallToolResultSchema, options))
    },
    session: () => ({ id: transport.sessionId, protocolVersion: transport.protocolVersion }),
    endSession: () => transport.terminateSession(),
    close: () => client.close(),
    isUnauthorized: (error) => error instanceof UnauthorizedError
  }
}
