/** Who is signed in (`GET /console/session`). */
import { queryOptions } from "@tanstack/react-query"
import { queryText, sendForJson } from "./Client.ts"

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
  /** Who can sign in here: with `ADMIN_PORT`, operators only there. */
  readonly serves: { readonly account: boolean; readonly operator: boolean }
  readonly sso: { readonly signIn: string } | null
  /** The issuer's page to sign out, after the end of a session of single sign-on. */
  readonly signOut: string | null
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

export type Holder = "account" | "operator"

/** An open session of the account or of the operator. */
export interface ListedSession {
  readonly sessionId: string
  /** Name and system. */
  readonly browser: string
  readonly by: "key" | "password" | "operator_key"
  readonly keyId: string | null
  readonly openedAt: string
  readonly expiresAt: string
  /** Whether it is the session of this browser. */
  readonly current: boolean
}

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) =>
    (await sendForJson("/session/all", { signal })) as Readonly<Record<Holder, ReadonlyArray<ListedSession>>>
})

export type Credentials =
  | { readonly api_key: string }
  | { readonly account: string; readonly password: string }

/** All tabs of the browser. */
const tabs = new BroadcastChannel("inferlog-session")

/** Called when another tab has signed in or out. */
export const onSessionChangedElsewhere = (listener: () => void): void =>
  tabs.addEventListener("message", listener)

const changed = async (sending: Promise<unknown>): Promise<Session> => {
  const session = (await sending) as Session
  tabs.postMessage(null)
  return session
}

export const openSession = (body: Credentials): Promise<Session> =>
  changed(sendForJson("/session", { method: "POST", body }))

/** Signs out one of the two, or both. */
export const closeSession = (holder?: Holder): Promise<Session> =>
  changed(sendForJson(`/session${queryText({ kind: holder })}`, { method: "DELETE" }))

export const endSession = (holder: Holder, sessionId: string): Promise<unknown> =>
  sendForJson(`/session/${encodeURIComponent(sessionId)}?kind=${holder}`, { method: "DELETE" })

export const endOtherSessions = (holder: Holder): Promise<unknown> =>
  sendForJson(`/session/all?kind=${holder}`, { method: "DELETE" })

/** Why the account's key may not do something; `null` if it may. */
export const missingScope = (session: AccountSession, scope: string): string | null =>
  session.scopes.includes(scope) ? null : `Your key lacks the scope ${scope}.`
