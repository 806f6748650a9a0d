/// Certificates for tests: an authority, and a server (`localhost`, `127.0.0.1`) and a client
/// signed by it, all valid for a hundred years.
///
/// Made with `openssl req -x509`, `openssl req` and `openssl x509 -req`; the key of the authority
/// was discarded.
public enum TestCertificates {
    public static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBmTCCAT+gAwIBAgIUKZ7HkUJDn+sJY7EYnH7V9WzxQ7cwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIyMDExNzA1WhgPMjEy
        NjEwMjkwMTE3MDVaMBkxFzAVBgNVBAMMDlRlc3QgQXV0aG9yaXR5MFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEi1tLQjcJTCnAA/GVvlcxvtiqKviIagnqiqM9Lhl5
        M8mptkjvbhziqKETaaKEwvTdWlGoJO9kEymweCZPhU29YKNjMGEwHQYDVR0OBBYE
        FBx/efcLbITEjgandrTiMZ228sIoMB8GA1UdIwQYMBaAFBx/efcLbITEjgandrTi
        MZ228sIoMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoGCCqGSM49
        BAMCA0gAMEUCIAJzJGOxhH03VdpTrjau6m7uJproz99lJT4ezuZIuVP7AiEAwU0D
        4I91v6EkaAXdNksWw8NDKkWMUFq6CVPZfN+X2tc=
        -----END CERTIFICATE-----
        """

    public static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBoTCCAUegAwIBAgIUUJ2L9F5iefmNd89uo5OChr3bIEMwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIyMDExNzA1WhgPMjEy
        NjEwMjkwMTE3MDVaMBExDzANBgNVBAMMBnNlcnZlcjBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABIWyL7XrJ/BepHo3g+U+xhg+gJ85ArKQKGu8hWJ3wccuJmHgWRLB
        8PBWjJugn30mks4/IoCSblL9biyl1w1WTb+jczBxMBoGA1UdEQQTMBGCCWxvY2Fs
        aG9zdIcEfwAAATATBgNVHSUEDDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUj2JT5qXO
        PU3z0sYvw9JnlAYbiRMwHwYDVR0jBBgwFoAUHH959wtshMSOBqd2tOIxnbbywigw
        CgYIKoZIzj0EAwIDSAAwRQIgRRVSrr698hFT7YFg5RD+kSihssfWAoZl4vPVe38v
        eEUCIQDF0I1EWxg0GlhbLsLgGRUnlW+IPoiBXcCBL7MXfzwMFg==
        -----END CERTIFICATE-----
        """

    public static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgK8pm4CvC1v1o7NSn
        sB+Ca74lu5PdHl2ZWLD9DPhguoGhRANCAASFsi+16yfwXqR6N4PlPsYYPoCfOQKy
        kChrvIVid8HHLiZh4FkSwfDwVoyboJ99JpLOPyKAkm5S/W4spdcNVk2/
        -----END PRIVATE KEY-----
        """

    public static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBhTCCASugAwIBAgIUUJ2L9F5iefmNd89uo5OChr3bIEQwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIyMDExNzA1WhgPMjEy
        NjEwMjkwMTE3MDVaMBExDzANBgNVBAMMBmNsaWVudDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABGrdVoiV2IoU9PiT6R64Num93uXt2KNFf6GW0nl0ZNO98QlutQQ9
        AhyVOXd1GqqwR59BG7ZR4rGw0WAhz50ensCjVzBVMBMGA1UdJQQMMAoGCCsGAQUF
        BwMCMB0GA1UdDgQWBBTbbJ0Sz6nOglnziXrmXlruJ2xoxzAfBgNVHSMEGDAWgBQc
        f3n3C2yExI4Gp3a04jGdtvLCKDAKBggqhkjOPQQDAgNIADBFAiALUd7om3PR+18v
        onsFo1QAP1av8KESLpgSTBdE0wC19QIhAO2zuKbyQMiyG55LzIDtLMI2AEkzvHCR
        MpG2uJBebr+L
        -----END CERTIFICATE-----
        """

    public static let clientKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOzR3mLb0sTLoqoPx
        Ueq+1ZfVk/Xs0SO9xYUQ5yfZG9qhRANCAARq3VaIldiKFPT4k+keuDbpvd7l7dij
        RX+hltJ5dGTTvfEJbrUEPQIclTl3dRqqsEefQRu2UeKxsNFgIc+dHp7A
        -----END PRIVATE KEY-----
        """
}
