/** Sessions of the console as its routes show them. */
import { Schema } from "effect"
import type * as Domain from "#domain/console-sessions/ConsoleSessions.ts"
import { Scope } from "#domain/account/Grant.ts"
import { Role } from "#domain/operator/Role.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import type { AccountSession } from "./AccountHolder.ts"
import type { OperatorSession } from "./OperatorHolder.ts"

const Account = Schema.Struct({
  accountId: Schema.String,
  keyId: Schema.String.annotate({ description: "The key under which the session acts." }),
  keyName: Schema.String,
  scopes: Schema.Array(Scope),
  sessionId: Schema.String,
  expiresAt: DateTime.DateTime
}).annotate({ identifier: "ConsoleAccount" })

const Operator = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  role: Role,
  kind: Schema.Literals(["key", "sso"]).annotate({
    description: "Signed in with an operator's key, or at the issuer."
  }),
  sessionId: Schema.String,
  expiresAt: DateTime.DateTime
}).annotate({ identifier: "ConsoleOperator" })

const Url = Schema.String

/** Who is signed in, and what the console has to know of the server. */
export const SessionBody = Schema.Struct({
  account: Schema.NullOr(Account),
  operator: Schema.NullOr(Operator),
  serves: Schema.Struct({
    account: Schema.Boolean,
    operator: Schema.Boolean
  }).annotate({ description: "Who can sign in here: with `ADMIN_PORT`, operators only there." }),
  sso: Schema.NullOr(Schema.Struct({ signIn: Url })).annotate({
    description: "Where operators sign in at the issuer; null without single sign-on."
  }),
  signOut: Schema.NullOr(Url).annotate({
    description: "The issuer's page to sign out, after the end of a session of single sign-on."
  }),
  urls: Schema.Struct({ queueUrl: Url, baseUrl: Url, mediaUrl: Url, mcpUrl: Url }),
  release: Schema.String
}).annotate({ identifier: "ConsoleSession", description: "Who is signed in; null for nobody." })

const Listed = Schema.Struct({
  sessionId: Schema.String,
  browser: Schema.String.annotate({ description: "Name and system, as the browser says." }),
  by: Schema.Literals(["key", "password", "operator_key"]),
  keyId: Schema.NullOr(Schema.String),
  openedAt: DateTime.DateTime,
  expiresAt: DateTime.DateTime,
  current: Schema.Boolean.annotate({ description: "Whether it is the session of the call." })
}).annotate({ identifier: "ListedConsoleSession" })

export const ListBody = Schema.Struct({
  account: Schema.Array(Listed),
  operator: Schema.Array(Listed)
}).annotate({ identifier: "ConsoleSessions", description: "Open sessions, newest first." })

export const account = ({ caller, keyName, session }: AccountSession): typeof Account.Type => ({
  accountId: caller.accountId,
  keyId: caller.keyId,
  keyName,
  scopes: caller.grant.scopes,
  sessionId: session.sessionId,
  expiresAt: DateTime.format(session.expiresAt)
})

export const operator = ({
  expiresAt,
  named,
  operator,
  sessionId
}: OperatorSession): typeof Operator.Type => ({
  ...operator,
  kind: named === null ? "sso" : "key",
  sessionId,
  expiresAt: DateTime.format(expiresAt)
})

const openers = { Key: "key", Password: "password", OperatorKey: "operator_key" } as const

export const listed =
  (ownId: string) =>
  ({ browser, expiresAt, openedAt, opener, sessionId }: Domain.Session): typeof Listed.Type => ({
    sessionId,
    browser,
    by: openers[opener._tag],
    keyId: opener._tag === "OperatorKey" ? null : opener.keyId,
    openedAt: DateTime.format(openedAt),
    expiresAt: DateTime.format(expiresAt),
    current: sessionId === ownId
  })
