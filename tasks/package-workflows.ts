// Workflows of suites from packages: none here. Where a project names packages, its workflow bundle has theirs in this place.
export {};
