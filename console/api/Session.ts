/** Who is signed in (`GET /console/session`). */
import { queryOptions } from "@tanstack/react-query"
import { sendForJson } from "./Client.ts"

export interface AccountSession {
  readonly accountId: string
  readonly keyId: string
  readonly keyName: string
  readonly scopes: ReadonlyArray<string>
  readonly sessionId: string
  readonly expiresAt: string
}

export interface OperatorSession {
  readonly id: string
  readonly name: string
  readonly role: "viewer" | "operator" | "auditor" | "owner"
  readonly kind: "key" | "sso"
  readonly sessionId: string
  readonly expiresAt: string
}

export interface Session {
  readonly account: AccountSession | null
  readonly operator: OperatorSession | null
  readonly sso: { readonly signIn: string } | null
  readonly urls: {
    readonly queueUrl: string
    readonly baseUrl: string
    readonly mediaUrl: string
    readonly mcpUrl: string
  }
  readonly release: string
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) => (await sendForJson("/session", { signal })) as Session,
  staleTime: 60_000
})

/** Why the operator may not do something that needs `role`; `null` if it may. Every role may do what a viewer may. */
export const missingRole = ({ role: own }: OperatorSession, role: OperatorSession["role"]): string | null =>
  own === "owner" || own === role || role === "viewer"
    ? null
    : `This needs an operator with the role ${role}. Yours is ${own}.`

/** Why the account's key may not do something; `null` if it may. */
export const missingScope = (session: AccountSession, scope: string): string | null =>
  session.scopes.includes(scope) ? null : `Your key lacks the scope ${scope}.`
