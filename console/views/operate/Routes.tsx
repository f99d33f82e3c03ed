/** The routes of the views of operators, in a layout with their navigation. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { operateRoute } from "#console/app/Root.tsx"
import * as Search from "./Search.ts"

const layoutRoute = createRoute({
  getParentRoute: () => operateRoute,
  id: "area",
  component: lazyRouteComponent(() => import("./OperateLayout.tsx"), "OperateLayout")
})

const overviewRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "overview",
  validateSearch: Search.scope,
  component: lazyRouteComponent(() => import("./overview/OverviewView.tsx"), "OverviewView")
})

const modelsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "models",
  validateSearch: Search.models,
  component: lazyRouteComponent(() => import("./fleet/ModelsView.tsx"), "ModelsView")
})

const providersRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "providers",
  validateSearch: Search.text,
  component: lazyRouteComponent(() => import("./fleet/ProvidersView.tsx"), "ProvidersView")
})

const workersRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "workers",
  component: lazyRouteComponent(() => import("./fleet/WorkersView.tsx"), "WorkersView")
})

const nodesRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "nodes",
  component: lazyRouteComponent(() => import("./fleet/NodesView.tsx"), "NodesView")
})

const projectionsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "projections",
  component: lazyRouteComponent(() => import("./fleet/ProjectionsView.tsx"), "ProjectionsView")
})

const accountsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "accounts",
  validateSearch: Search.text,
  component: lazyRouteComponent(() => import("./accounts/AccountsView.tsx"), "AccountsView")
})

const accountRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "accounts/$accountId",
  component: lazyRouteComponent(() => import("./accounts/AccountView.tsx"), "AccountView")
})

const requestsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "requests",
  validateSearch: Search.requests,
  component: lazyRouteComponent(() => import("./requests/AllRequestsView.tsx"), "AllRequestsView")
})

const requestRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "requests/$requestId",
  component: lazyRouteComponent(() => import("./requests/AnyRequestView.tsx"), "AnyRequestView")
})

const logRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "log",
  validateSearch: Search.log,
  component: lazyRouteComponent(() => import("./log/ServerLogView.tsx"), "ServerLogView")
})

export const operateRoutes = [
  layoutRoute.addChildren([
    overviewRoute,
    modelsRoute,
    providersRoute,
    workersRoute,
    nodesRoute,
    projectionsRoute,
    accountsRoute,
    accountRoute,
    requestsRoute,
    requestRoute,
    logRoute
  ])
] as const
