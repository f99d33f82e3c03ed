/** The route of the sign-in. */
import { createRoute } from "@tanstack/react-router"
import { rootRoute } from "#console/app/Root.tsx"
import { localPath } from "./Destination.ts"
import { SignInView } from "./SignInView.tsx"

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "sign-in",
  /** `to`: the view that was asked for, a path below the console. */
  validateSearch: (search: Record<string, unknown>): { readonly to?: string } => {
    const to = localPath(search["to"])
    return to === undefined ? {} : { to }
  },
  // Not lazy: who comes here has nothing of the console yet, and would wait once more.
  component: SignInView
})

export const signInRoutes = [signInRoute] as const
