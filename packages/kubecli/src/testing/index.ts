export { fakeClient, type FakeCall, type FakeClient } from './fake-client.ts'
