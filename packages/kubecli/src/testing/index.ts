export { fakeClient, type FakeCall, type FakeClient, type FakeClientOptions } from './fake-client.ts'
export { reply, scriptedServer, type ScriptedRequest, type ScriptedServer } from './scripted-server.ts'
