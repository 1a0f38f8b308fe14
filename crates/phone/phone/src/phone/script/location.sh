# Says where the phone is, as a test provider; the commands came with Android 12.
#   cl_place   latitude and longitude

appops set com.android.shell android:mock_location allow || exit
cmd location providers add-test-provider gps || exit
cmd location providers set-test-provider-enabled gps true || exit
cmd location providers set-test-provider-location gps --location "$cl_place"
