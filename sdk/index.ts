// What the published package offers. Nothing else in the repository imports this file.
export * from './client.ts'
export * from './event-types.ts'
export * from './signature.ts'
