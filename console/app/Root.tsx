/** The routes that all views hang from: the page, the views of an account, and those of operators. */
import type { QueryClient } from "@tanstack/react-query"
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router"
import { type AccountSession, type OperatorSession, sessionQuery } from "#console/api/Session.ts"
import { lazyView } from "./LazyView.ts"
import { NotFoundView } from "./NotFoundView.tsx"

export interface RouterContext {
  readonly queryClient: QueryClient
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundView
})

const signIn = (to: string) => redirect({ to: "/sign-in", search: { to } })

/** Views that need a session, in the frame with the navigation. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  component: lazyView(() => import("./shell/Shell.tsx"), "Shell"),
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session.account === null && session.operator === null) throw signIn(location.href)
    return { session }
  }
})

/** Views of an account. Its context has the session. */
export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  id: "account",
  beforeLoad: ({ context: { session }, location }): { readonly account: AccountSession } => {
    const { account } = session
    if (account === null) throw signIn(location.href)
    return { account }
  }
})

/** Views of operators. Its context has the operator. */
export const operateRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "operate",
  beforeLoad: ({ context: { session }, location }): { readonly operator: OperatorSession } => {
    const { operator } = session
    if (operator === null) throw signIn(location.href)
    return { operator }
  }
})
